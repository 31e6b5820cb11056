package io.csi4j.examples.lifecycle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;

/** Known bytes in a volume, so that a copy can be distinguished from an empty volume. */
final class TestContent {
    private static final int SIZE = 64 * 1024;
    private static final int FILE_TYPE = 0170000;
    private static final int BLOCK_DEVICE = 0060000;

    private final boolean block;
    private final String fileName;
    private final byte[] bytes;

    private TestContent(boolean block, String fileName, byte[] bytes) {
        this.block = block;
        this.fileName = fileName;
        this.bytes = bytes;
    }

    /**
     * Bytes for a file of that name, or for the start of a block device. The same seed gives the same bytes, so that a repeated
     * run recognizes the content of an older snapshot.
     */
    static TestContent from(String seed, boolean block, String fileName) {
        byte[] bytes = new byte[SIZE];
        new Random(seed.hashCode()).nextBytes(bytes);
        return new TestContent(block, fileName, bytes);
    }

    /** Reads the bytes at the start of a block device. */
    static TestContent read(Path target) throws IOException {
        return new TestContent(true, "", bytesAt(target));
    }

    /** The file in the volume, or the device itself. */
    Path file(Path target) {
        return block ? target : target.resolve(fileName);
    }

    String text() {
        return bytes.length + " bytes " + (block ? "at the start of the device" : "in " + fileName);
    }

    /** Writes the bytes and syncs them to the storage, because a snapshot may follow at once. */
    void write(Path target) throws IOException {
        if (block) {
            requireDevice(target);
        }
        OpenOption[] options = block
                ? new OpenOption[] {StandardOpenOption.WRITE}
                : new OpenOption[] {StandardOpenOption.WRITE, StandardOpenOption.CREATE};
        try (FileChannel channel = FileChannel.open(file(target), options)) {
            writeTo(channel);
        }
    }

    private void writeTo(FileChannel channel) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        channel.force(true);
    }

    void verify(Path target) throws IOException {
        if (block) {
            requireDevice(target);
        }
        byte[] found = bytesAt(file(target));
        if (!Arrays.equals(found, bytes)) {
            throw new IOException(file(target) + " does not have the " + bytes.length + " written bytes, but "
                    + found.length + (found.length == bytes.length ? " others" : ""));
        }
    }

    /** Tries to open the file for writing, without writing. */
    boolean refusesOpening(Path target) {
        OpenOption[] options = block
                ? new OpenOption[] {StandardOpenOption.WRITE}
                : new OpenOption[] {
                    StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, StandardOpenOption.DELETE_ON_CLOSE
                };
        Path file = block ? target : target.resolve(fileName + ".refused");
        try (FileChannel channel = FileChannel.open(file, options)) {
            return !channel.isOpen();
        } catch (IOException e) {
            return true;
        }
    }

    /** Tries to write the same bytes again: a kernel may allow opening a read-only device and refuse only writes. */
    boolean refusesRewrite(Path target) {
        try (FileChannel channel = FileChannel.open(target, StandardOpenOption.WRITE)) {
            writeTo(channel);
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    private static byte[] bytesAt(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.allocate(SIZE);
            int read = 0;
            while (read >= 0 && buffer.hasRemaining()) {
                read = channel.read(buffer);
            }
            return Arrays.copyOf(buffer.array(), buffer.position());
        }
    }

    /** The size of the device or file at a block volume's target. */
    static long deviceSize(Path target) throws IOException {
        requireDevice(target);
        try (FileChannel channel = FileChannel.open(target, StandardOpenOption.READ)) {
            return channel.size();
        }
    }

    private static void requireDevice(Path target) throws IOException {
        if (Files.isDirectory(target)) {
            throw new IOException(target + " is a directory; a block volume is a device or a file");
        }
        if (!Files.exists(target)) {
            throw new IOException(target + " is not there, although the plugin answered OK");
        }
    }

    /** Whether the path is a device node, which is a published volume without a mount. */
    static boolean isBlockDevice(Path target) throws IOException {
        return Files.exists(target)
                && ((int) Files.getAttribute(target, "unix:mode", LinkOption.NOFOLLOW_LINKS) & FILE_TYPE)
                        == BLOCK_DEVICE;
    }
}
