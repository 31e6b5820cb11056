package io.csi4j.node.internal.ownership;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Some entries of a directory, as the kernel returns them. One thread uses it at a time. */
final class Entries implements AutoCloseable {
    private static final int BYTES = 32 * 1024;
    private static final int LENGTH = 16;
    private static final int TYPE = 18;
    private static final int NAME = 19;
    private static final byte LINK = 10;

    private final NativeBuffer buffer = new NativeBuffer(BYTES);
    private int at;
    private int next;
    private int end;

    /**
     * Reads the next entries of a directory.
     *
     * @return the number of bytes; 0 if there are no more, negative for an error
     */
    int read(int directory) {
        int read = Linux.entries(directory, buffer);
        next = 0;
        end = Math.max(0, read);
        return read;
    }

    /** Goes to the next entry; false if there is none in this buffer. */
    boolean advance() {
        while (next < end) {
            at = next;
            next += buffer.shortAt(at + LENGTH);
            if (!isDots()) {
                return true;
            }
        }
        return false;
    }

    private boolean isDots() {
        int name = at + NAME;
        return buffer.byteAt(name) == '.'
                && (buffer.byteAt(name + 1) == 0 || (buffer.byteAt(name + 1) == '.' && buffer.byteAt(name + 2) == 0));
    }

    /** Returns whether the directory says that the entry is a symbolic link. */
    boolean isLink() {
        return buffer.byteAt(at + TYPE) == LINK;
    }

    /** Returns the address of the entry's name. */
    long nameAddress() {
        return buffer.address() + at + NAME;
    }

    /** Returns whether the entry has one of some names, byte by byte. */
    boolean isOneOf(List<byte[]> names) {
        if (names.isEmpty()) {
            return false;
        }
        byte[] name = buffer.textAt(at + NAME);
        return names.stream().anyMatch(other -> Arrays.equals(other, name));
    }

    /** Returns the entry's name for operators. */
    String name() {
        return new String(buffer.textAt(at + NAME), StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        buffer.close();
    }
}
