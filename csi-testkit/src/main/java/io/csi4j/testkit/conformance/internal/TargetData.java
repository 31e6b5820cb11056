package io.csi4j.testkit.conformance.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

/** Writes and reads known bytes at a target path, as the user of the volume does. */
public final class TargetData {
    private static final int BYTES = 4096;
    private static final int FILE_TYPE = 0170000;
    private static final int BLOCK_DEVICE = 0060000;

    private final boolean block;

    TargetData(boolean block) {
        this.block = block;
    }

    /** Returns whether the target is a volume that this process can use. */
    public boolean usable(Path target) throws IOException {
        return block ? isDevice(target) : KernelMounts.at(target);
    }

    private static boolean isDevice(Path target) throws IOException {
        return Files.exists(target) && ((int) Files.getAttribute(target, "unix:mode") & FILE_TYPE) == BLOCK_DEVICE;
    }

    /** Writes a block of bytes that is computed from a text, and syncs it to the storage. */
    public void write(Path target, String text) throws IOException {
        try (FileChannel channel = block
                ? FileChannel.open(target, StandardOpenOption.WRITE)
                : FileChannel.open(
                        file(target),
                        StandardOpenOption.WRITE,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer buffer = ByteBuffer.wrap(bytes(text));
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }

    /** Returns whether the target has the bytes that {@code write} computes from the text. */
    public boolean holds(Path target, String text) throws IOException {
        Path file = block ? target : file(target);
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        ByteBuffer buffer = ByteBuffer.allocate(BYTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (buffer.hasRemaining() && channel.read(buffer) >= 0) {
                // Reads until the buffer is full or the file ends.
            }
        }
        return Arrays.equals(buffer.array(), bytes(text));
    }

    /**
     * Returns whether the target refuses a write. The attempt writes the bytes that are there already, so it changes
     * nothing.
     */
    public boolean refusesWrites(Path target) {
        try {
            if (block) {
                ByteBuffer same = ByteBuffer.allocate(BYTES);
                try (FileChannel channel =
                        FileChannel.open(target, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                    channel.read(same, 0);
                    channel.write(same.flip(), 0);
                    channel.force(true);
                }
            } else {
                Path file = target.resolve("csi4j-readonly-check");
                Files.createFile(file);
                Files.delete(file);
            }
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static Path file(Path target) {
        return target.resolve("csi4j-conformance.bin");
    }

    private static byte[] bytes(String text) {
        byte[] pattern = text.getBytes(StandardCharsets.UTF_8);
        byte[] bytes = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            bytes[i] = pattern[i % pattern.length];
        }
        return bytes;
    }
}
