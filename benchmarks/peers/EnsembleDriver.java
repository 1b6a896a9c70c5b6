import java.io.BufferedReader;
import java.io.FileReader;
import weka.classifiers.Classifier;
import weka.core.Instances;
import weka.core.Utils;
import weka.core.Version;

/**
 * Arguments: ARFF file, file of folds, class and options of each method. Output: see run_elsewhere;
 * after the wrong answers the log loss.
 */
public class EnsembleDriver {
  static final double LEAST_PROBABILITY = 1e-6; // as in common.py

  static Classifier make(String words, String seed) throws Exception {
    String[] all = Utils.splitOptions(words);
    String[] options = new String[all.length + 1];
    options[0] = "-S"; // before those of a member, which follow "--"
    options[1] = seed;
    System.arraycopy(all, 1, options, 2, all.length - 1);
    return Classifier.forName(all[0], options);
  }

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
      String[] marks = line.split(","); // the first is the seed
      Instances train = new Instances(data, 0), test = new Instances(data, 0);
      for (int i = 0; i < data.numInstances(); i++) {
        (marks[i + 1].equals("1") ? test : train).add(data.instance(i));
      }
      for (int method = 0; method < args.length - 2; method++) {
        Classifier model = make(args[method + 2], marks[0]);
        model.buildClassifier(train);
        int wrong = 0;
        double loss = 0.0;
        for (int i = 0; i < test.numInstances(); i++) {
          int truth = (int) test.instance(i).classValue();
          double[] found = model.distributionForInstance(test.instance(i));
          if (Utils.maxIndex(found) != truth) wrong++;
          loss -= Math.log(Math.max(found[truth], LEAST_PROBABILITY));
        }
        System.out.printf("%d,%d,%d,%.9f%n", method, fold, wrong, loss / test.numInstances());
      }
    }
  }
}
