import java.io.BufferedReader;
import java.io.FileReader;
import weka.classifiers.trees.J48;
import weka.core.Instances;
import weka.core.Utils;
import weka.core.Version;

/** Arguments: ARFF file, file of folds, options of each J48. Output: see run_elsewhere. */
public class J48Driver {
  public static void main(String[] args) throws Exception {
    if (args[0].equals("--version")) {
      System.out.println(Version.VERSION);
      return;
    }
    Instances data = new Instances(new BufferedReader(new FileReader(args[0])));
    data.setClassIndex(data.numAttributes() - 1);
    BufferedReader folds = new BufferedReader(new FileReader(args[1]));
    String line;
    for (int fold = 0; (line = folds.readLine()) != null; fold++) {
      String[] marks = line.split(","); // the first is a seed, of no use here
      Instances train = new Instances(data, 0), test = new Instances(data, 0);
      for (int i = 0; i < data.numInstances(); i++) {
        (marks[i + 1].equals("1") ? test : train).add(data.instance(i));
      }
      for (int method = 0; method < args.length - 2; method++) {
        J48 tree = new J48();
        tree.setOptions(Utils.splitOptions(args[method + 2]));
        tree.buildClassifier(train);
        int wrong = 0;
        for (int i = 0; i < test.numInstances(); i++) {
          if (tree.classifyInstance(test.instance(i)) != test.instance(i).classValue()) wrong++;
        }
        System.out.printf("%d,%d,%d,%d,%d%n", method, fold, wrong,
            (int) tree.measureNumLeaves(), (int) tree.measureTreeSize());
      }
    }
  }
}
