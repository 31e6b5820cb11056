package io.csi4j.replication.ratis.internal.files;

import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.ratis.internal.files.SegmentReader.Defect;
import io.csi4j.replication.ratis.internal.files.SegmentReader.Found;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Checks the files of a log before Ratis reads them. Damage is reported with its place and its remedy, and no damaged
 * entry is skipped. A crash may cut off the last entry while it is written. This entry was never confirmed, so it is
 * removed.
 */
public final class LogFiles {
    private static final System.Logger LOG = System.getLogger(LogFiles.class.getName());
    private static final Pattern SNAPSHOT = Pattern.compile("snapshot\\.\\d+_(\\d+)");
    private static final String REMEDY = ". Nothing was changed. With other peers, replace this one: remove it from the"
            + " cluster, and add a peer with a new id and an empty directory; without them, restore the data directory"
            + " from a backup";

    private LogFiles() {}

    /**
     * Checks all logs in a directory.
     *
     * @throws LogFailedException if one is damaged
     */
    public static void check(Path directory) throws IOException {
        for (Path log : children(directory)) {
            if (Files.isDirectory(log.resolve("current"))) {
                checkLog(log);
            }
        }
    }

    private static List<Path> children(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.sorted().toList();
        }
    }

    private static void checkLog(Path log) throws IOException {
        long snapshot = children(log.resolve("sm")).stream()
                .map(file -> SNAPSHOT.matcher(String.valueOf(file.getFileName())))
                .filter(Matcher::matches)
                .mapToLong(name -> Long.parseLong(name.group(1)))
                .max()
                .orElse(-1);
        List<Segment> segments = children(log.resolve("current")).stream()
                .map(Segment::of)
                .flatMap(Optional::stream)
                .sorted(Comparator.comparingLong(Segment::first))
                .toList();
        if (!segments.isEmpty() && Files.notExists(log.resolve("current").resolve("raft-meta"))) {
            throw damaged(
                    log.resolve("current").resolve("raft-meta"),
                    "it is missing, so it is not known for whom this" + " peer has voted");
        }
        long next = -1;
        for (Segment segment : segments) {
            if (next < 0 ? segment.first() > snapshot + 1 : segment.first() != next) {
                throw damaged(
                        segment.file(),
                        "the entries from index " + Math.max(next, snapshot + 1) + " to " + (segment.first() - 1)
                                + " are in no file and in no snapshot");
            }
            next = checkSegment(segment);
        }
    }

    /** Checks the entries of a segment, and returns the index that follows the last one. */
    private static long checkSegment(Segment segment) throws IOException {
        SegmentReader reader = SegmentReader.open(segment);
        if (!reader.hasHead()) {
            if (segment.last().isEmpty() && reader.blank()) {
                return segment.first();
            }
            throw damaged(segment.file(), "its first bytes are not those of a log");
        }
        long index = segment.first();
        Found found = reader.next();
        for (; found.defect() == null; found = reader.next()) {
            if (found.entry() == null || found.entry().getIndex() != index) {
                throw damaged(segment.file(), at(found, index) + " there is another entry");
            }
            index++;
        }
        if (segment.last().isPresent()) {
            mustBeComplete(segment, segment.last(), index, found);
        } else if (found.defect() == Defect.CHANGED) {
            throw damaged(segment.file(), at(found, index) + " the entry was changed");
        } else if (found.defect() == Defect.CUT_OFF) {
            removeEnd(segment, found, index);
        }
        return index;
    }

    private static void mustBeComplete(Segment segment, OptionalLong last, long index, Found found) {
        if (index != last.getAsLong() + 1) {
            throw damaged(
                    segment.file(),
                    at(found, index)
                            + (found.defect() == Defect.CHANGED ? " the entry was changed" : " the file was cut off"));
        }
    }

    private static void removeEnd(Segment segment, Found found, long index) throws IOException {
        LOG.log(
                System.Logger.Level.WARNING,
                "The log " + segment.file() + " ends within the entry with index " + index + ", at byte "
                        + found.position() + ", because the machine stopped while it was written. It was never"
                        + " confirmed, and is removed");
        try (FileChannel channel = FileChannel.open(segment.file(), StandardOpenOption.WRITE)) {
            channel.truncate(found.position());
            channel.force(true);
        }
    }

    private static String at(Found found, long index) {
        return "at byte " + found.position() + ", in place of the entry with index " + index + ",";
    }

    private static LogFailedException damaged(Path file, String reason) {
        return new LogFailedException("The log file " + file + " is damaged: " + reason + REMEDY, null);
    }
}
