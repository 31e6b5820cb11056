package io.csi4j.examples.walk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is mounted, as this process sees it ({@code /proc/self/mountinfo}). */
public final class ProcessMounts {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");
    private static final Pattern OCTAL = Pattern.compile("\\\\([0-7]{3})");

    /**
     * One mount.
     *
     * @param path where it is
     * @param fsType the type of its file system
     * @param readonly whether this mount refuses writes
     */
    public record Mount(Path path, String fsType, boolean readonly) {}

    private final List<Mount> all;

    private ProcessMounts(List<Mount> all) {
        this.all = all;
    }

    /**
     * Reads the table.
     *
     * @return the mounts of now
     * @throws IOException if this system has no such table
     */
    public static ProcessMounts read() throws IOException {
        return parse(Files.readAllLines(TABLE, StandardCharsets.UTF_8));
    }

    static ProcessMounts parse(List<String> lines) {
        List<Mount> mounts = new ArrayList<>();
        for (String line : lines) {
            // id parent major:minor root PATH OPTIONS tag... - TYPE source options
            String[] fields = line.split(" ", -1);
            int dash = List.of(fields).indexOf("-");
            List<String> options = List.of(fields[5].split(",", -1));
            mounts.add(new Mount(Path.of(unescape(fields[4])), fields[dash + 1], options.contains("ro")));
        }
        return new ProcessMounts(mounts);
    }

    /** Blanks and line ends are written as {@code \040} and the like. */
    private static String unescape(String field) {
        Matcher octal = OCTAL.matcher(field);
        return octal.replaceAll(
                match -> Matcher.quoteReplacement(Character.toString(Integer.parseInt(match.group(1), 8))));
    }

    /**
     * The mount at a path.
     *
     * @param path an absolute path
     * @return the newest mount exactly there; empty if there is none
     * @throws IOException if the path cannot be resolved
     */
    public Optional<Mount> at(Path path) throws IOException {
        Path real = real(path);
        return all.stream().filter(mount -> mount.path().equals(real)).reduce((older, newer) -> newer);
    }

    /**
     * All mounts at a path and below.
     *
     * @param directory an absolute path
     * @return newest first: the order in which they can be unmounted
     * @throws IOException if the path cannot be resolved
     */
    public List<Mount> under(Path directory) throws IOException {
        Path real = real(directory);
        List<Mount> found = new ArrayList<>();
        for (Mount mount : all) {
            if (mount.path().startsWith(real)) {
                found.add(0, mount);
            }
        }
        return found;
    }

    /** The table knows no symbolic links; the last part is left alone, for it may be the mount. */
    private static Path real(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent == null || !Files.exists(parent)) {
            return path;
        }
        return parent.toRealPath().resolve(path.getFileName());
    }
}
