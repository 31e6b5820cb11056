package io.csi4j.client.internal.file;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

/**
 * Reads and writes one kind of small file, which is always replaced as a whole. The new content is written to a
 * temporary file and synced. Then the temporary file is renamed over the old file, and the directory is synced. After a
 * crash the file has the old content or the new content, never a mixture.
 *
 * <p>A file is one line of text and a protobuf message. The line is {@code csi4j KIND VERSION CHECKSUM}; the checksum
 * is the CRC-32C of the text that precedes it in the line and of the message, so that damage to the file is detected.
 * New fields of the message do not change the version.
 *
 * <p>Two threads must not write one file at the same time. The files are readable by their owner only.
 *
 * @param <M> the message in the file
 */
public final class DurableFile<M extends MessageLite> {
    /** The suffix of a file that is being written. Such a file may be deleted after a crash. */
    public static final String TEMPORARY = ".tmp";

    private static final String MAGIC = "csi4j";
    private static final int LONGEST_HEADER = 200;
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

    private final String kind;
    private final int version;
    private final Parser<M> parser;
    private final Disk disk;

    public DurableFile(String kind, int version, Parser<M> parser, Disk disk) {
        this.kind = kind;
        this.version = version;
        this.parser = parser;
        this.disk = disk;
    }

    /**
     * Returns the format for one kind of file.
     *
     * @param kind a word without spaces that begins each file of this kind
     * @param version the version of the format; a file with a higher one is rejected
     * @param parser the parser of the message
     * @param synced whether to sync files and directories; without syncs, writing is faster, but a power failure may lose or damage the
     *     files written last
     */
    public static <M extends MessageLite> DurableFile<M> of(
            String kind, int version, Parser<M> parser, boolean synced) {
        return new DurableFile<>(kind, version, parser, synced ? Disk.SYNCED : Disk.UNSYNCED);
    }

    /**
     * Replaces a file, or creates it in an existing directory.
     *
     * @throws IOException if the file could not be written; it then has its old content or, if only its directory could not be synced, its new
     *     content
     */
    public void write(Path file, M message) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + TEMPORARY);
        try {
            disk.writeAndSync(temporary, encode(message));
            disk.rename(temporary, file);
        } catch (IOException e) {
            try {
                Files.deleteIfExists(temporary);
            } catch (IOException alsoFailed) {
                e.addSuppressed(alsoFailed);
            }
            throw e;
        }
        disk.sync(directory(file));
    }

    /**
     * Reads a file.
     *
     * @return its content
     * @throws java.nio.file.NoSuchFileException if there is none
     * @throws UnusableFileException if the content is damaged, foreign, or of a newer version
     * @throws IOException if it cannot be read now
     */
    public M read(Path file) throws IOException {
        return decode(Files.readAllBytes(file));
    }

    /**
     * Syncs a directory, so that new, renamed and removed files in it survive a crash.
     *
     * @throws IOException if it cannot be synced
     */
    public void sync(Path directory) throws IOException {
        disk.sync(directory);
    }

    public byte[] encode(M message) {
        byte[] body = message.toByteArray();
        String start = MAGIC + " " + kind + " " + version + " ";
        byte[] header = ascii(start + checksum(ascii(start), body) + "\n");
        byte[] content = Arrays.copyOf(header, header.length + body.length);
        System.arraycopy(body, 0, content, header.length, body.length);
        return content;
    }

    public M decode(byte[] content) throws UnusableFileException {
        int end = 0;
        while (end < content.length && end < LONGEST_HEADER && content[end] != '\n') {
            end++;
        }
        String[] text = new String(content, 0, end, StandardCharsets.ISO_8859_1).split(" ", -1);
        if (end == content.length
                || content[end] != '\n'
                || text.length != 4
                || !text[0].equals(MAGIC)
                || !NUMBER.matcher(text[2]).matches()) {
            throw new UnusableFileException("it does not begin with a header of csi4j");
        }
        byte[] body = Arrays.copyOfRange(content, end + 1, content.length);
        String start = MAGIC + " " + text[1] + " " + text[2] + " ";
        if (!text[3].equals(checksum(start.getBytes(StandardCharsets.ISO_8859_1), body))) {
            throw new UnusableFileException("its checksum does not match its content");
        }
        if (!text[1].equals(kind)) {
            throw new UnusableFileException("it is of another kind than '" + kind + "'");
        }
        if (Integer.parseInt(text[2]) > version) {
            throw new UnusableFileException(
                    "it has format version " + text[2] + ", and this release reads up to version " + version, true);
        }
        try {
            return parser.parseFrom(body);
        } catch (InvalidProtocolBufferException e) {
            // Omits the cause of the exception, because it may contain content of the file.
            throw new UnusableFileException("its message cannot be parsed");
        }
    }

    private static Path directory(Path file) {
        return Objects.requireNonNull(file.toAbsolutePath().getParent(), "the directory of the file");
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String checksum(byte[] start, byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(start);
        crc.update(body);
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }
}
