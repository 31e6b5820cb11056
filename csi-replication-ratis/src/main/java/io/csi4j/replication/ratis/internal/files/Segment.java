package io.csi4j.replication.ratis.internal.files;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file with consecutive entries of the log.
 *
 * @param file the file
 * @param first the index of its first entry
 * @param last the index of its last entry; empty: entries are still added
 */
record Segment(Path file, long first, OptionalLong last) {
    private static final Pattern CLOSED = Pattern.compile("log_(\\d+)-(\\d+)");
    private static final Pattern OPEN = Pattern.compile("log_inprogress_(\\d+)");

    /** Recognizes a segment by the name of its file. Returns empty for any other file. */
    static Optional<Segment> of(Path file) {
        String name = String.valueOf(file.getFileName());
        Matcher closed = CLOSED.matcher(name);
        if (closed.matches()) {
            return Optional.of(new Segment(
                    file, Long.parseLong(closed.group(1)), OptionalLong.of(Long.parseLong(closed.group(2)))));
        }
        Matcher open = OPEN.matcher(name);
        return open.matches()
                ? Optional.of(new Segment(file, Long.parseLong(open.group(1)), OptionalLong.empty()))
                : Optional.empty();
    }
}
