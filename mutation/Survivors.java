import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.pitest.mutationtest.engine.MutationDetails;

/**
 * The survivors that a list names. A line of the list has the class with the method, the mutator, the code, and a
 * reason; it counts for all mutants of that mutator in equal lines of that method. The character … stands for any text,
 * so that one line can name all mutants with one reason.
 */
final class Survivors {
    private static final Pattern LISTED = Pattern.compile("^- (`[^`]+` [A-Za-z…]+ ``.*?``): \\S.*");

    private final Path sources;
    private final List<Pattern> listed = new ArrayList<>();

    Survivors(Path sources, Path list) throws IOException {
        this.sources = sources;
        for (String line : Files.readAllLines(list)) {
            Matcher entry = LISTED.matcher(line);
            if (entry.matches()) {
                listed.add(Pattern.compile(Pattern.quote(entry.group(1)).replace("…", "\\E.*\\Q")));
            }
        }
    }

    /**
     * Prints the figures by package and the survivors that the list does not name, and writes all mutants to a report.
     * Returns false if the list does not name all survivors.
     */
    boolean print(Map<MutationDetails, Results.Result> results, Path report) throws IOException {
        Map<String, Figures> figures = new TreeMap<>();
        Set<String> missing = new LinkedHashSet<>();
        List<String> lines = new ArrayList<>();
        for (Map.Entry<MutationDetails, Results.Result> each : results.entrySet()) {
            MutationDetails mutant = each.getKey();
            Results.Result result = each.getValue();
            if (result.status() == Results.Status.NOT_VIABLE) {
                continue;
            }
            String entry = entry(mutant);
            boolean named = !result.status().isKill() && isListed(entry);
            Figures counted = Figures.of(result.status(), named);
            figures.merge(mutant.getClassName().getPackage().asJavaName(), counted, Figures::plus);
            figures.merge("all", counted, Figures::plus);
            if (!result.status().isKill() && !named) {
                missing.add(entry);
            }
            lines.add(String.join(
                    " | ",
                    mutant.getFilename() + ":" + mutant.getLineNumber(),
                    result.status() + (named ? " (in the list)" : ""),
                    entry,
                    mutant.getDescription(),
                    result.test()));
        }
        Files.write(report, lines);
        figures.forEach((name, sum) -> System.out.println(name + ": " + sum));
        missing.forEach(entry -> System.out.println("- " + entry + ": "));
        System.err.println("All mutants are in " + report);
        return missing.isEmpty();
    }

    private String entry(MutationDetails mutant) throws IOException {
        String className = mutant.getClassName().asJavaName();
        String packageName = mutant.getClassName().getPackage().asJavaName();
        Path file = sources.resolve(packageName.replace('.', '/')).resolve(mutant.getFilename());
        return "`" + name(className.substring(packageName.length() + 1), mutant.getMethod()) + "` "
                + mutant.getMutator().replaceAll(".*\\.|Mutator.*", "") + " ``"
                + Files.readAllLines(file).get(mutant.getLineNumber() - 1).strip() + "``";
    }

    /** Returns the method as in the source: a lambda counts as part of its method, and has a number in class files. */
    private static String name(String className, String method) {
        String source = method.equals("<init>") ? className : method.replaceAll("lambda\\$(\\w+)\\$\\d+", "$1");
        return (className + "." + source).replace('$', '.');
    }

    private boolean isListed(String entry) {
        return listed.stream().anyMatch(each -> each.matcher(entry).matches());
    }

    private record Figures(int killed, int named, int notCovered, int all) {
        static Figures of(Results.Status status, boolean named) {
            return new Figures(
                    status.isKill() ? 1 : 0, named ? 1 : 0, status == Results.Status.NOT_COVERED ? 1 : 0, 1);
        }

        Figures plus(Figures other) {
            return new Figures(
                    killed + other.killed, named + other.named, notCovered + other.notCovered, all + other.all);
        }

        @Override
        public String toString() {
            return killed + " of " + all + " killed (" + 100 * killed / all + " %), " + notCovered + " not covered, "
                    + named + " named in the list, " + (all - killed - named) + " neither";
        }
    }
}
