package io.csi4j.testkit.internal.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * One record in one text file: a first line with the kind, one line for each field, and a last line with a checksum. The file is
 * replaced atomically, so that a reader finds the old or the new record, even after a power failure.
 */
final class RecordFile {
    private static final String MAGIC = "csi4j-fake-record 1 ";

    private RecordFile() {}

    static void write(Path file, String kind, RecordFields fields) {
        StringBuilder text = new StringBuilder(MAGIC).append(kind).append('\n');
        for (Map.Entry<String, String> field : fields.asMap().entrySet()) {
            text.append(field.getKey())
                    .append('=')
                    .append(escape(field.getValue()))
                    .append('\n');
        }
        String checksum = checksum(text.toString());
        text.append("checksum=").append(checksum).append('\n');
        Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
        try {
            try (FileChannel channel = FileChannel.open(
                    temporary,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    StandardOpenOption.TRUNCATE_EXISTING)) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            syncDirectory(file);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file + ": " + e + "; check the state directory", e);
        }
    }

    static void delete(Path file) {
        try {
            if (Files.deleteIfExists(file)) {
                syncDirectory(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot delete " + file + ": " + e + "; check the state directory", e);
        }
    }

    static RecordFields read(Path file, String kind) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        String text = new String(bytes, StandardCharsets.UTF_8);
        int last = text.lastIndexOf("checksum=");
        if (!text.startsWith(MAGIC) || last < 0) {
            throw new CorruptRecordException(file, "it is no record of the fake plugin, or was cut off");
        }
        String body = text.substring(0, last);
        if (!text.substring(last).equals("checksum=" + checksum(body) + "\n")) {
            throw new CorruptRecordException(file, "its checksum does not fit its contents");
        }
        String[] lines = body.split("\n", -1);
        if (!lines[0].equals(MAGIC + kind)) {
            throw new CorruptRecordException(file, "it should be of kind " + kind + " and is not");
        }
        RecordFields fields = new RecordFields();
        for (int i = 1; i < lines.length - 1; i++) {
            int equals = lines[i].indexOf('=');
            if (equals < 0) {
                throw new CorruptRecordException(file, "line " + (i + 1) + " has no equals sign");
            }
            fields.put(lines[i].substring(0, equals), unescape(lines[i].substring(equals + 1)));
        }
        return fields;
    }

    private static void syncDirectory(Path file) throws IOException {
        Path parent = file.getParent();
        if (parent != null) {
            try (FileChannel directory = FileChannel.open(parent, StandardOpenOption.READ)) {
                directory.force(true);
            }
        }
    }

    private static String checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().toHexDigits((int) crc.getValue());
    }

    private static String escape(String value) {
        return value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r");
    }

    private static String unescape(String value) {
        if (value.indexOf('\\') < 0) {
            return value;
        }
        StringBuilder text = new StringBuilder();
        boolean escaped = false;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (escaped) {
                text.append(c == 'n' ? '\n' : c == 'r' ? '\r' : c);
                escaped = false;
            } else if (c == '\\') {
                escaped = true;
            } else {
                text.append(c);
            }
        }
        return text.toString();
    }
}
