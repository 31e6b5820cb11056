import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Prints the figures of a report of PIT by package, and the survivors that the list does not name. Ends with 1 if there
 * are any. A line of the list has the class with the method, the mutator, the code, and a reason; it counts for all
 * mutants of that mutator in equal lines of that method. The character … stands for any text, so that one line can name
 * all mutants with one reason.
 */
class Survivors {
    private static final Pattern LISTED = Pattern.compile("^- (`[^`]+` [A-Za-z…]+ ``.*?``): \\S.*");

    /**
     * @param args the report, the directory of the sources, and the list
     */
    public static void main(String[] args) throws Exception {
        List<Mutant> mutants = read(Path.of(args[0]), Path.of(args[1]));
        Predicate<String> listed = listed(Path.of(args[2]));
        Map<String, Figures> figures = new TreeMap<>();
        Set<String> missing = new LinkedHashSet<>();
        for (Mutant mutant : mutants) {
            boolean named = !mutant.killed() && listed.test(mutant.entry());
            figures.merge(mutant.packageName(), Figures.of(mutant.killed(), named), Figures::plus);
            figures.merge("all", Figures.of(mutant.killed(), named), Figures::plus);
            if (!mutant.killed() && !named) {
                missing.add(mutant.entry());
            }
        }
        figures.forEach((name, sum) -> System.out.println(name + ": " + sum));
        missing.forEach(entry -> System.out.println("- " + entry + ": "));
        if (!missing.isEmpty()) {
            System.exit(1);
        }
    }

    private static List<Mutant> read(Path report, Path sources) throws Exception {
        NodeList elements = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(report.toFile())
                .getElementsByTagName("mutation");
        List<Mutant> mutants = new ArrayList<>();
        for (Element element : IntStream.range(0, elements.getLength())
                .mapToObj(index -> (Element) elements.item(index))
                .toList()) {
            // A mutant that the JVM does not load says nothing about the tests.
            if (!element.getAttribute("status").equals("NON_VIABLE")) {
                mutants.add(mutant(element, sources));
            }
        }
        return mutants;
    }

    private static Mutant mutant(Element element, Path sources) throws IOException {
        String className = text(element, "mutatedClass");
        String packageName = className.substring(0, className.lastIndexOf('.'));
        Path file = sources.resolve(packageName.replace('.', '/')).resolve(text(element, "sourceFile"));
        int line = Integer.parseInt(text(element, "lineNumber"));
        String mutator = text(element, "mutator").replaceAll(".*\\.|Mutator.*", "");
        return new Mutant(
                packageName,
                name(className.substring(packageName.length() + 1), text(element, "mutatedMethod")),
                mutator,
                Files.readAllLines(file).get(line - 1).strip(),
                element.getAttribute("detected").equals("true"));
    }

    /** Returns the method as in the source: a lambda counts as part of its method, and has a number in class files. */
    private static String name(String className, String method) {
        String source = method.equals("<init>") ? className : method.replaceAll("lambda\\$(\\w+)\\$\\d+", "$1");
        return (className + "." + source).replace('$', '.');
    }

    private static String text(Element element, String name) {
        return element.getElementsByTagName(name).item(0).getTextContent();
    }

    private static Predicate<String> listed(Path list) throws IOException {
        List<Pattern> entries = new ArrayList<>();
        for (String line : Files.readAllLines(list)) {
            Matcher entry = LISTED.matcher(line);
            if (entry.matches()) {
                entries.add(Pattern.compile(Pattern.quote(entry.group(1)).replace("…", "\\E.*\\Q")));
            }
        }
        return entry -> entries.stream().anyMatch(each -> each.matcher(entry).matches());
    }

    private record Mutant(String packageName, String method, String mutator, String code, boolean killed) {
        String entry() {
            return "`" + method + "` " + mutator + " ``" + code + "``";
        }
    }

    private record Figures(int killed, int named, int all) {
        static Figures of(boolean killed, boolean named) {
            return new Figures(killed ? 1 : 0, named ? 1 : 0, 1);
        }

        Figures plus(Figures other) {
            return new Figures(killed + other.killed, named + other.named, all + other.all);
        }

        @Override
        public String toString() {
            return killed + " of " + all + " killed (" + 100 * killed / all + " %), " + named + " named in the list, "
                    + (all - killed - named) + " neither";
        }
    }
}
