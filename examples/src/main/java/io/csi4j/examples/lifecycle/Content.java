package io.csi4j.examples.lifecycle;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.Arrays;

/** Bytes in a volume that are known, so that a copy can be told from an empty volume. */
final class Content {
    private static final int SIZE = 64 * 1024;
    private static final int FILE_TYPE = 0170000;
    private static final int BLOCK_DEVICE = 0060000;

    private final boolean block;
    private final String fileName;
    private final byte[] bytes;

    private Content(boolean block, String fileName, byte[] bytes) {
        this.block = block;
        this.fileName = fileName;
        this.bytes = bytes;
    }

    /** Fresh bytes: for a file of that name, or for the start of a block device. */
    static Content fresh(boolean block, String fileName) {
        byte[] bytes = new byte[SIZE];
        new SecureRandom().nextBytes(bytes);
        return new Content(block, fileName, bytes);
    }

    /** What is at the start of a block device already. */
    static Content read(Path target) throws IOException {
        return new Content(true, "", bytesAt(target));
    }

    /** The file, or the device itself. */
    Path at(Path target) {
        return block ? target : target.resolve(fileName);
    }

    String text() {
        return bytes.length + " bytes " + (block ? "at the start of the device" : "in " + fileName);
    }

    /** Writes, and has it on the storage before this returns: a snapshot may be cut right after. */
    void write(Path target) throws IOException {
        if (block) {
            requireDevice(target);
        }
        OpenOption[] options = block
                ? new OpenOption[] {StandardOpenOption.WRITE}
                : new OpenOption[] {StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW};
        try (FileChannel channel = FileChannel.open(at(target), options)) {
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
        byte[] found = bytesAt(at(target));
        if (!Arrays.equals(found, bytes)) {
            throw new IOException(at(target) + " does not hold the " + bytes.length + " bytes that were written, but "
                    + found.length + (found.length == bytes.length ? " others" : ""));
        }
    }

    /** Tries to open for writing, without writing. */
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

    /** Tries to write what is there already: a kernel may let a read-only device be opened, and refuse only that. */
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

    /** The size of what is at a block volume's target. */
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

    /** Whether there is a device node, which needs no mount to be the volume. */
    static boolean isBlockDevice(Path target) throws IOException {
        return Files.exists(target)
                && ((int) Files.getAttribute(target, "unix:mode", LinkOption.NOFOLLOW_LINKS) & FILE_TYPE)
                        == BLOCK_DEVICE;
    }
}
