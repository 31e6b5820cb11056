package io.csi4j.benchmarks.site;

import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Adds links to HTML: from the number of a rule to its row, and from the name of a public type to its Javadoc. */
final class TextLinks {
    private static final Pattern TOKEN = Pattern.compile("<!--.*?-->|<(/?)(\\w+)[^>]*>|[^<]+|<", Pattern.DOTALL);
    private static final Pattern RULE = Pattern.compile("\\bR(\\d{1,3})\\b");
    private static final Pattern TYPE = Pattern.compile("<code>([A-Z]\\w+)</code>");
    private static final Pattern LINKED = Pattern.compile("<a .*?</a>", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("<td>(R\\d+(?:(?:, |-)R\\d+)*)</td>");

    private static final Pattern RANGE = Pattern.compile("R(\\d+)(?:-R(\\d+))?");

    /** Elements whose text is shown as it is. */
    private static final Set<String> KEPT = Set.of("a", "pre", "script", "style", "title", "button", "h1", "h2", "h3");

    private TextLinks() {}

    /** Gives each row of the table of rules an anchor for each of its numbers, for example {@code r8} to {@code r10}. */
    static String withAnchors(String html) {
        return ROW.matcher(html).replaceAll(row -> {
            StringBuilder anchors = new StringBuilder();
            Matcher range = RANGE.matcher(row.group(1));
            while (range.find()) {
                int from = Integer.parseInt(range.group(1));
                int to = range.group(2) == null ? from : Integer.parseInt(range.group(2));
                for (int rule = from; rule <= to; rule++) {
                    anchors.append("<span id=\"r").append(rule).append("\"></span>");
                }
            }
            return "<td>" + anchors + row.group(1) + "</td>";
        });
    }

    /** Links the numbers of rules that {@code page}, the page of the rules, has anchors for. */
    static String toRules(String html, Set<Integer> rules, String page) {
        StringBuilder linked = new StringBuilder(html.length());
        int kept = 0;
        Matcher token = TOKEN.matcher(html);
        while (token.find()) {
            String text = token.group();
            String element = token.group(2);
            if (element != null && KEPT.contains(element)) {
                kept += token.group(1).isEmpty() ? 1 : -1;
            }
            linked.append(text.startsWith("<") || kept > 0 ? text : rulesOf(text, rules, page));
        }
        return linked.toString();
    }

    private static String rulesOf(String text, Set<Integer> rules, String page) {
        return RULE.matcher(text).replaceAll(rule -> {
            int number = Integer.parseInt(rule.group(1));
            return rules.contains(number)
                    ? "<a href=\"" + page + "#r" + number + "\">" + rule.group() + "</a>"
                    : rule.group();
        });
    }

    /** Links code that is the name of a type to the address that {@code types} has for it. */
    static String toTypes(String html, Map<String, String> types, String base) {
        StringBuilder linked = new StringBuilder(html.length());
        int end = 0;
        Matcher link = LINKED.matcher(html);
        while (link.find()) {
            linked.append(typesOf(html.substring(end, link.start()), types, base))
                    .append(link.group());
            end = link.end();
        }
        return linked.append(typesOf(html.substring(end), types, base)).toString();
    }

    private static String typesOf(String html, Map<String, String> types, String base) {
        return TYPE.matcher(html).replaceAll(code -> {
            String address = types.get(code.group(1));
            return Matcher.quoteReplacement(
                    address == null ? code.group() : "<a href=\"" + base + address + "\">" + code.group() + "</a>");
        });
    }
}
