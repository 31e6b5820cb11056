package io.csi4j.node.internal.mount;

import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import java.io.ByteArrayOutputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the mount table of the kernel; see proc(5) for the columns. */
public final class LinuxMountTable implements MountTable {
    private static final System.Logger LOG = System.getLogger(LinuxMountTable.class.getName());
    private static final String MOUNTINFO = "/proc/self/mountinfo";
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");
    private static final int MOUNT_POINT_COLUMN = 4;
    private static final String CONTEXT = "context=";
    private static final Pattern KERNEL = Pattern.compile("^(\\d{1,4})\\.(\\d{1,4})");
    /** The size of the first read buffer, in bytes; the kernel returns about as many bytes for each read. */
    private static final int PIECE = 2048;

    private static final int TRIES = 10;
    private static final int ROOM = 4096;

    private final Source source;
    private final boolean keepsPosition;

    /** The table that was read last. The next read usually returns the same bytes, which then need not be parsed again. */
    private volatile Reading last = new Reading(new byte[0], MountPoints.of(List.of()));

    private static final class Reading {
        private final byte[] content;
        private final MountPoints points;

        Reading(byte[] content, MountPoints points) {
            this.content = content;
            this.points = points;
        }
    }

    /** Opens the text of the mount table. */
    @FunctionalInterface
    public interface Source {
        InputStream open() throws IOException;
    }

    public LinuxMountTable() {
        this(() -> new FileInputStream(MOUNTINFO), keepsPosition(System.getProperty("os.version", "")));
    }

    /**
     * Creates the table.
     *
     * @param keepsPosition true if the kernel returns every remaining line even if another line disappears while the
     *     table is read in several pieces
     */
    public LinuxMountTable(Source source, boolean keepsPosition) {
        this.source = source;
        this.keepsPosition = keepsPosition;
    }

    /**
     * Returns whether a kernel version returns every remaining line even if another line disappears during the read.
     * Linux does so since 5.8. Older kernels count lines, so after a removed line they skip the next one.
     */
    public static boolean keepsPosition(String kernel) {
        Matcher numbers = KERNEL.matcher(kernel);
        if (!numbers.find()) {
            return false;
        }
        int major = Integer.parseInt(numbers.group(1));
        return major > 5 || (major == 5 && Integer.parseInt(numbers.group(2)) >= 8);
    }

    @Override
    public MountPoints read() throws IOException {
        byte[] content = whole();
        Reading known = last;
        if (Arrays.equals(content, known.content)) {
            return known.points;
        }
        // Decodes each byte as one character, because a path may have any encoding.
        String text = new String(content, StandardCharsets.ISO_8859_1);
        MountPoints points = parse(text);
        last = new Reading(content, points);
        return points;
    }

    /**
     * Reads the complete table. On an older kernel, reads it until two reads are equal, because a skipped line would
     * count as an unmounted volume.
     */
    private byte[] whole() throws IOException {
        byte[] content = once();
        int tries = 1;
        while (!keepsPosition && content.length > PIECE) {
            byte[] again = once();
            if (Arrays.equals(again, content)) {
                return content;
            }
            content = again;
            tries++;
            if (tries == TRIES) {
                throw new IOException(MOUNTINFO + " was another one each of " + TRIES
                        + " times it was read; nothing can be concluded from it");
            }
        }
        return content;
    }

    /** Reads the file once to its end. Does not use the file's length, which is 0 for files in {@code /proc}. */
    private byte[] once() throws IOException {
        try (InputStream file = source.open()) {
            byte[] content = new byte[last.content.length + ROOM];
            int length = 0;
            for (int more = file.read(content); more >= 0; more = file.read(content, length, content.length - length)) {
                length += more;
                if (length == content.length) {
                    content = Arrays.copyOf(content, 2 * length);
                }
            }
            return Arrays.copyOf(content, length);
        }
    }

    @Override
    public Optional<String> bootId() {
        try {
            String id = Files.readString(BOOT_ID, StandardCharsets.US_ASCII).strip();
            return id.isEmpty() ? Optional.empty() : Optional.of(id);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot read the boot id of this machine; a reboot will not be recognised", e);
            return Optional.empty();
        }
    }

    public static MountPoints parse(String text) throws IOException {
        List<Path> points = new ArrayList<>();
        Map<Path, String> contexts = new HashMap<>();
        // Most tables have no context, so that nothing of their lines is looked at but the mount point.
        boolean labelled = text.contains(CONTEXT);
        int end;
        for (int begin = 0; begin < text.length(); begin = end + 1) {
            int feed = text.indexOf('\n', begin);
            end = feed < 0 ? text.length() : feed;
            if (end == begin) {
                continue;
            }
            String line = text.substring(begin, end);
            String column = column(line);
            try {
                Path point = Path.of(unescape(column));
                points.add(point);
                if (labelled) {
                    // The last line of a mount point is its topmost mount.
                    contexts.remove(point);
                    context(line).ifPresent(context -> contexts.put(point, context));
                }
            } catch (InvalidPathException e) {
                // Skips a path that cannot be decoded. It is not a path of csi4j, because those are ASCII.
                LOG.log(Level.DEBUG, "A mount point has a name that this process cannot write; passed over");
            }
        }
        return MountPoints.of(points, point -> entry(text, point)).withContexts(contexts);
    }

    /**
     * Returns the value of the option {@code context} of a line. It is one of the options of the file system, which are the
     * last column. The kernel puts a context with commas into quotes.
     */
    private static Optional<String> context(String line) {
        String options = line.substring(line.lastIndexOf(' ') + 1);
        boolean quoted = false;
        int begin = 0;
        for (int at = 0; at <= options.length(); at++) {
            boolean last = at == options.length();
            if (!last && options.charAt(at) == '"') {
                quoted = !quoted;
            } else if (last || (options.charAt(at) == ',' && !quoted)) {
                String option = options.substring(begin, at);
                if (option.startsWith(CONTEXT)) {
                    return Optional.of(option.substring(CONTEXT.length()).replace("\"", ""));
                }
                begin = at + 1;
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the ids, devices, roots, options and types of all mounts at a mount point. The options of the file system
     * are left out: they may change while the mount stays the same.
     */
    static String entry(String text, Path point) {
        StringBuilder entry = new StringBuilder();
        for (String line : text.lines().toList()) {
            String[] columns = line.split(" ");
            if (columns.length > MOUNT_POINT_COLUMN + 1
                    && unescape(columns[MOUNT_POINT_COLUMN]).equals(point.toString())) {
                int type = Arrays.asList(columns).indexOf("-") + 1;
                entry.append(columns[0])
                        .append(' ')
                        .append(columns[2])
                        .append(' ')
                        .append(columns[3])
                        .append(' ')
                        .append(columns[MOUNT_POINT_COLUMN + 1])
                        .append(' ')
                        .append(columns[type])
                        .append('\n');
            }
        }
        return entry.toString();
    }

    /** Returns the mount point of a line without parsing the rest, because a table may have thousands of lines. */
    private static String column(String line) throws IOException {
        int begin = 0;
        for (int column = 0; column < MOUNT_POINT_COLUMN; column++) {
            int blank = line.indexOf(' ', begin);
            if (blank < 0) {
                throw new IOException(MOUNTINFO + " has a line of " + (column + 1)
                        + " columns where a mount point should be in the fifth; nothing can be concluded from it");
            }
            begin = blank + 1;
        }
        int end = line.indexOf(' ', begin);
        return end < 0 ? line.substring(begin) : line.substring(begin, end);
    }

    private static boolean isPlain(String column) {
        for (int at = 0; at < column.length(); at++) {
            char c = column.charAt(at);
            if (c == '\\' || c >= 0x80) {
                return false;
            }
        }
        return true;
    }

    /** Decodes the blanks, tabs, line feeds and backslashes of a path, which the kernel writes as three octal digits. */
    private static String unescape(String column) {
        if (isPlain(column)) {
            return column;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(column.length());
        int at = 0;
        while (at < column.length()) {
            boolean escape = column.charAt(at) == '\\'
                    && at + 3 < column.length()
                    && column.substring(at + 1, at + 4).matches("[0-3][0-7][0-7]");
            bytes.write(escape ? Integer.parseInt(column.substring(at + 1, at + 4), 8) : column.charAt(at));
            at += escape ? 4 : 1;
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
