import java.io.BufferedReader;
import java.io.FileReader;
import java.lang.management.ManagementFactory;
import weka.classifiers.trees.M5P;
import weka.core.Instances;

/** Arguments: ARFF files of training and test rows, the target last. Prints CPU seconds, then predictions. */
public class M5PDriver {
  public static void main(String[] args) throws Exception {
    Instances train = new Instances(new BufferedReader(new FileReader(args[0])));
    Instances test = new Instances(new BufferedReader(new FileReader(args[1])));
    train.setClassIndex(train.numAttributes() - 1);
    test.setClassIndex(test.numAttributes() - 1);
    long start = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    M5P tree = new M5P();
    tree.buildClassifier(train);
    long used = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - start;
    StringBuilder out = new StringBuilder();
    out.append(used / 1e9).append('\n');
    for (int i = 0; i < test.numInstances(); i++)
      out.append(tree.classifyInstance(test.instance(i))).append('\n');
    System.out.print(out);
  }
}
