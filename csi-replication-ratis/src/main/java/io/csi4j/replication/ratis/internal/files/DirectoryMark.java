package io.csi4j.replication.ratis.internal.files;

import io.csi4j.core.spi.LogFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A file beside the directory of the log, which no backup of the log contains. It has the identity of that directory on
 * its file system, and an index that the log has reached. So the next start notices that the log was put back from a
 * copy: a copied directory has another identity, and an older log ends before the index. It also notices that the log is
 * gone.
 */
public final class DirectoryMark {
    private static final String FILE = "log.mark";

    private final Path file;
    private final Path log;
    private final LogName name;

    /** Whether the log existed before this start, and is another directory than the mark says, or has no mark. */
    private final boolean copied;

    private final long reached;

    private DirectoryMark(Path file, Path log, LogName name, boolean copied, long reached) {
        this.file = file;
        this.log = log;
        this.name = name;
        this.copied = copied;
        this.reached = reached;
    }

    /**
     * The log of a cluster.
     *
     * @param cluster the name of the cluster
     * @param directory the name of its directory in that of all logs
     */
    public record LogName(String cluster, String directory) {}

    /**
     * Reads the mark of a data directory, before the log is opened.
     *
     * @throws LogFailedException if there is a mark and no log
     */
    public static DirectoryMark read(Path directory, LogName name) throws IOException {
        Path log = directory.resolve("log");
        Path file = directory.resolve(FILE);
        Map<String, String> lines = lines(file);
        boolean copied = hasFiles(log) && !identity(log).equals(lines.get("directory"));
        DirectoryMark mark = new DirectoryMark(file, log, name, copied, number(lines.getOrDefault("index", "0")));
        if (Files.exists(file)) {
            mark.vanished(mark.reached).ifPresent(refusal -> {
                throw refusal;
            });
        }
        return mark;
    }

    /**
     * Returns a failure if the files of the log are gone.
     *
     * @param index an index that the log has reached; 0 or less: it may be empty
     */
    public Optional<LogFailedException> vanished(long index) {
        Path files = log.resolve(name.directory());
        Path current = files.resolve("current");
        if (Files.isDirectory(current) && (index <= 0 || hasFiles(current) || hasFiles(files.resolve("sm")))) {
            return Optional.empty();
        }
        return Optional.of(new LogFailedException(
                "The log in " + log + " has vanished: " + file
                        + " says that it was there, and now there is no log of the"
                        + " cluster \"" + name.cluster() + "\". The peer does not run, because a new, empty log would"
                        + " have forgotten all volumes and claims. Mount the disk of the log, give the cluster its former"
                        + " name, or restore it from a backup; with other peers, replace this one: remove it from the"
                        + " cluster, and add a peer with a new id and an empty directory. To give up all volumes and"
                        + " claims, delete " + file,
                null));
    }

    private static Map<String, String> lines(Path file) throws IOException {
        Map<String, String> lines = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                int at = line.indexOf('=');
                if (at > 0) {
                    lines.put(line.substring(0, at), line.substring(at + 1));
                }
            }
        } catch (NoSuchFileException none) {
            return Map.of();
        }
        return lines;
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException damaged) {
            // A damaged mark proves nothing, so the log counts as a copy.
            return Long.MAX_VALUE;
        }
    }

    private static boolean hasFiles(Path directory) {
        String[] names = directory.toFile().list();
        return names != null && names.length > 0;
    }

    /**
     * Returns the identity of a directory; empty if the file system has none. The key of a file system is used again
     * after a directory was deleted, so the time of the last change belongs to the identity. The directory of the log
     * changes only when the log is created, and no program can set that time.
     */
    private static String identity(Path directory) throws IOException {
        Object key = Files.readAttributes(directory, BasicFileAttributes.class).fileKey();
        boolean unix = directory.getFileSystem().supportedFileAttributeViews().contains("unix");
        return (key == null ? "" : key.toString()) + (unix ? " " + Files.getAttribute(directory, "unix:ctime") : "");
    }

    /**
     * Returns whether the log may have been put back from a copy.
     *
     * @param last the index of the last entry of the log
     */
    public boolean restored(long last) {
        return copied || (reached > 0 && last < reached);
    }

    /**
     * Writes the mark for the present log.
     *
     * @param index an index that the log has reached
     */
    public void write(long index) throws IOException {
        Path next = file.resolveSibling(FILE + ".next");
        Files.writeString(next, "directory=" + identity(log) + "\nindex=" + index + "\n", StandardCharsets.UTF_8);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
