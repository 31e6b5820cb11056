package io.csi4j.benchmarks.site;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Checks that each link of a site leads to a file and an anchor of the site, and that no page loads anything from outside. */
final class LinkCheck {
    private static final Pattern LINK = Pattern.compile("<(\\w+)\\s[^>]*?\\b(href|src)=\"([^\"]*)\"");
    private static final Pattern ANCHOR = Pattern.compile("\\b(?:id|name)=\"([^\"]+)\"");
    private static final Pattern OUTSIDE = Pattern.compile("^(https?:)?//");
    private static final Pattern WITHOUT_FILE = Pattern.compile("^(mailto|javascript|data):");

    private final Path site;
    private final Map<Path, Set<String>> anchors = new HashMap<>();
    private final List<String> broken = new ArrayList<>();

    private LinkCheck(Path site) {
        this.site = site;
    }

    /** Returns the broken links of all pages; none if all is well. */
    static List<String> broken(Path site) throws IOException {
        LinkCheck check = new LinkCheck(site);
        try (Stream<Path> files = Files.walk(site)) {
            for (Path page : files.filter(file -> file.toString().endsWith(".html"))
                    .sorted()
                    .toList()) {
                check.check(page);
            }
        }
        return check.broken;
    }

    private void check(Path page) throws IOException {
        Matcher link = LINK.matcher(Files.readString(page));
        while (link.find()) {
            String target = link.group(3);
            if (OUTSIDE.matcher(target).find()) {
                if (!link.group(1).equals("a")) {
                    broken.add(site.relativize(page) + " loads " + target);
                }
            } else if (!WITHOUT_FILE.matcher(target).find() && !leadsSomewhere(page, target)) {
                broken.add(site.relativize(page) + " -> " + target);
            }
        }
    }

    private boolean leadsSomewhere(Path page, String target) throws IOException {
        int hash = target.indexOf('#');
        String path = (hash < 0 ? target : target.substring(0, hash)).replaceFirst("\\?.*", "");
        Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        if (!Files.isRegularFile(file)) {
            return false;
        }
        String anchor = hash < 0 ? "" : target.substring(hash + 1).replace("+", "%2B");
        return anchor.isEmpty() || anchors(file).contains(URLDecoder.decode(anchor, StandardCharsets.UTF_8));
    }

    private Set<String> anchors(Path file) throws IOException {
        Set<String> known = anchors.get(file);
        if (known == null) {
            known = new HashSet<>();
            Matcher anchor = ANCHOR.matcher(Files.readString(file));
            while (anchor.find()) {
                known.add(anchor.group(1).replace("&lt;", "<").replace("&gt;", ">"));
            }
            anchors.put(file, known);
        }
        return known;
    }
}
