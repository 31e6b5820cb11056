package io.csi4j.benchmarks.site;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of the site.
 *
 * @param source the file, relative to the project
 * @param address the address of the page, relative to the site
 * @param title the first heading
 * @param html the content
 */
record Page(Path source, String address, String title, String html) {
    private static final Pattern HEADING = Pattern.compile("<h([1-6]) id=\"([^\"]*)\">(.*?)</h\\1>", Pattern.DOTALL);

    /** A heading with the text below it. */
    record Section(int level, String anchor, String heading, String text) {}

    static Page of(Path source, String address, String html) {
        Matcher heading = HEADING.matcher(html);
        String title = heading.find() ? plain(heading.group(3)) : String.valueOf(source.getFileName());
        return new Page(source, address, title, html);
    }

    /** Returns the way from the page to the root of the site, for example {@code ../}. */
    String toRoot() {
        return "../".repeat((int) address.chars().filter(c -> c == '/').count());
    }

    List<Section> sections() {
        return HEADING.matcher(html)
                .results()
                .map(found -> new Section(
                        Integer.parseInt(found.group(1)), found.group(2), plain(found.group(3)), textFrom(found.end())))
                .toList();
    }

    private String textFrom(int start) {
        Matcher next = HEADING.matcher(html);
        return plain(html.substring(start, next.find(start) ? next.start() : html.length()));
    }

    private static String plain(String html) {
        return html.replaceAll("</?(?:a|code|em|span|strong)\\b[^>]*>", "")
                .replaceAll("<[^>]*>", " ")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&amp;", "&")
                .replaceAll("\\s+", " ")
                .strip();
    }
}
