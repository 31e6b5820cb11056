package io.csi4j.node.internal.ownership;

/** The attributes of an open file. One thread uses it at a time. */
final class FileStatus implements AutoCloseable {
    private static final int ATTRIBUTES = 8;
    private static final int OWNER = 20;
    private static final int GROUP = 24;
    private static final int MODE = 28;
    private static final int KNOWN_ATTRIBUTES = 56;
    private static final int BYTES = 256;
    private static final long MOUNT_ROOT = 0x2000;

    private static final int PERMISSIONS = 07777;
    private static final int TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int FILE = 0100000;
    private static final int PIPE = 0010000;
    private static final int SOCKET = 0140000;

    private final NativeBuffer buffer = new NativeBuffer(BYTES);

    /** Reads the attributes of a file; negative if that failed. */
    int read(int file) {
        return Linux.attributes(file, buffer);
    }

    /** Returns the permissions with the bits for setuid, setgid and sticky. */
    int mode() {
        return buffer.shortAt(MODE) & PERMISSIONS;
    }

    int owner() {
        return buffer.intAt(OWNER);
    }

    int group() {
        return buffer.intAt(GROUP);
    }

    boolean isDirectory() {
        return (buffer.shortAt(MODE) & TYPE) == DIRECTORY;
    }

    /** Returns whether the file belongs to the volume's content; a device or a link does not. */
    boolean isContent() {
        int type = buffer.shortAt(MODE) & TYPE;
        return type == FILE || type == DIRECTORY || type == PIPE || type == SOCKET;
    }

    /** Returns whether the kernel says that the file is not the root of a mount. */
    boolean isNoMount() {
        return (buffer.longAt(KNOWN_ATTRIBUTES) & MOUNT_ROOT) != 0 && (buffer.longAt(ATTRIBUTES) & MOUNT_ROOT) == 0;
    }

    @Override
    public void close() {
        buffer.close();
    }
}
