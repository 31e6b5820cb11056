package io.csi4j.replication.ratis.internal.files;

import io.csi4j.core.spi.LogFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A file in which an operator names entries of the log to leave out, because no version can apply them. Has one index on
 * each line.
 *
 * @param file the file, which need not exist
 * @param indexes the entries in it
 */
public record SkippedEntries(Path file, Set<Long> indexes) {
    private static final String FILE = "skip-entries";

    public SkippedEntries {
        indexes = Set.copyOf(indexes);
    }

    /**
     * Reads the file of a data directory.
     *
     * @throws LogFailedException if a line is not an index
     */
    public static SkippedEntries read(Path directory) throws IOException {
        Path file = directory.resolve(FILE);
        Set<Long> indexes = new HashSet<>();
        for (String line : lines(file)) {
            if (!line.isBlank()) {
                indexes.add(index(file, line.strip()));
            }
        }
        return new SkippedEntries(file, indexes);
    }

    private static List<String> lines(Path file) throws IOException {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (NoSuchFileException none) {
            return List.of();
        }
    }

    private static long index(Path file, String line) {
        try {
            return Long.parseLong(line);
        } catch (NumberFormatException e) {
            throw new LogFailedException(
                    "The file " + file + " has the line \"" + line
                            + "\", which is not the index of an entry; write one index on each line",
                    e);
        }
    }

    /** Returns whether an operator wants an entry to be left out. */
    public boolean contains(long index) {
        return indexes.contains(index);
    }

    /** Tells the operator how to go on without an entry. */
    public String remedy(long index) {
        return "If no version can, write the line " + index + " to the file " + file
                + " at every peer, and start all of them again: the entry is left out, and the effect of its command is"
                + " lost";
    }
}
