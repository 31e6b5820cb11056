package io.csi4j.registry;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** Replaces files so that after a crash there is the old one or the new one, and never something between. */
final class DurableFile {
    private DurableFile() {}

    static void replace(Path file, byte[] content) throws IOException {
        Path directory = Objects.requireNonNull(file.toAbsolutePath().getParent(), "directory");
        Path temporary = directory.resolve(file.getFileName() + ".new");
        try (FileChannel out = FileChannel.open(
                temporary, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer rest = ByteBuffer.wrap(content);
            while (rest.hasRemaining()) {
                out.write(rest);
            }
            out.force(true);
        }
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        sync(directory);
    }

    /** A new name is durable only when its directory is. */
    static void sync(Path directory) throws IOException {
        try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
            names.force(true);
        }
    }
}
