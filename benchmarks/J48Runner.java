// Trains WEKA's J48 on ARFF files and prints sizes and answers; compiled and run by weka_j48.py.
//
// Standard input has one task per line: training file, file of questions, options, divided by tabs.
// Each task prints "tree <leaves> <nodes>", then "<class> <its probability>" for each question.

import java.io.BufferedReader;
import java.io.FileReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Utils;

public final class J48Runner {
  private static Instances read(String path) throws Exception {
    try (FileReader reader = new FileReader(path)) {
      Instances rows = new Instances(reader);
      rows.setClassIndex(rows.numAttributes() - 1);
      return rows;
    }
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader tasks = new BufferedReader(new InputStreamReader(System.in));
    PrintStream out = new PrintStream(System.out, false);
    for (String line = tasks.readLine(); line != null; line = tasks.readLine()) {
      String[] task = line.split("\t");
      J48 model = new J48();
      model.setOptions(Utils.splitOptions(task[2]));
      model.buildClassifier(read(task[0]));
      out.println("tree " + (int) model.measureNumLeaves() + " " + (int) model.measureTreeSize());
      Instances questions = read(task[1]);
      for (int i = 0; i < questions.numInstances(); i++) {
        int answer = (int) model.classifyInstance(questions.instance(i));
        double[] shares = model.distributionForInstance(questions.instance(i));
        out.println(answer + " " + shares[answer]);
      }
    }
    out.flush();
  }
}
