package io.csi4j.examples.steps;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The mounts that this process sees ({@code /proc/self/mountinfo}). */
public final class ProcessMounts {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    /**
     * One mount.
     *
     * @param path the mount point
     * @param fsType the type of the file system
     * @param readonly whether this mount refuses writes
     */
    public record Mount(Path path, String fsType, boolean readonly) {}

    private final List<Mount> mounts;

    private ProcessMounts(List<Mount> mounts) {
        this.mounts = mounts;
    }

    /**
     * Reads the mount table.
     *
     * @return the current mounts
     * @throws IOException if this system has no mount table
     */
    public static ProcessMounts read() throws IOException {
        return parse(Files.readAllLines(TABLE, StandardCharsets.UTF_8));
    }

    static ProcessMounts parse(List<String> lines) {
        List<Mount> mounts = new ArrayList<>();
        for (String line : lines) {
            // A line has the columns: id parent major:minor root PATH OPTIONS tag... - TYPE source options
            String[] fields = line.split(" ", -1);
            int dash = List.of(fields).indexOf("-");
            List<String> options = List.of(fields[5].split(",", -1));
            mounts.add(new Mount(Path.of(unescape(fields[4])), fields[dash + 1], options.contains("ro")));
        }
        return new ProcessMounts(mounts);
    }

    /**
     * Decodes a field of the mount table. The kernel writes blanks and line ends in it as octal numbers, for example
     * {@code \040}.
     */
    private static String unescape(String field) {
        Matcher octal = OCTAL.matcher(field);
        return octal.replaceAll(
                match -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(match.group(1), 8))));
    }

    /**
     * Returns the mount at a path.
     *
     * @param path an absolute path
     * @return the newest mount at exactly this path; empty if there is none
     * @throws IOException if the path cannot be resolved
     */
    public Optional<Mount> at(Path path) throws IOException {
        Path real = real(path);
        return mounts.stream().filter(mount -> mount.path().equals(real)).reduce((older, newer) -> newer);
    }

    /**
     * Returns all mounts at a path and below it.
     *
     * @param directory an absolute path
     * @return the mounts, newest first, which is the order for unmounting
     * @throws IOException if the path cannot be resolved
     */
    public List<Mount> under(Path directory) throws IOException {
        Path real = real(directory);
        List<Mount> found = new ArrayList<>();
        for (Mount mount : mounts) {
            if (mount.path().startsWith(real)) {
                found.add(0, mount);
            }
        }
        return found;
    }

    /** Resolves the symbolic links of a path except in its last part, because the table has paths without links. */
    private static Path real(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null || !Files.exists(parent)) {
            return path;
        }
        return parent.toRealPath().resolve(path.getFileName());
    }
}
