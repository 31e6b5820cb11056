package io.csi4j.client.internal.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The file system operations with which a {@link DurableFile} is written. Tests simulate a crash between two of them. */
interface Disk {
    Disk SYNCED = new Real(true);
    Disk UNSYNCED = new Real(false);

    /**
     * Creates or overwrites a file and syncs its content. If the directory has the file after a crash, the
     * file has this content; syncing the directory is a step of its own.
     */
    void writeAndSync(Path file, byte[] content) throws IOException;

    /** Replaces a file atomically by another file of the same directory. */
    void rename(Path from, Path to) throws IOException;

    /** Syncs a directory: when this method returns, the names of its files survive a crash. */
    void sync(Path directory) throws IOException;

    /** The real file system. */
    final class Real implements Disk {
        private static final Set<OpenOption> REPLACE =
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

        private final boolean synced;

        private Real(boolean synced) {
            this.synced = synced;
        }

        @Override
        public void writeAndSync(Path file, byte[] content) throws IOException {
            try (FileChannel channel = FileChannel.open(file, REPLACE, PRIVATE)) {
                ByteBuffer rest = ByteBuffer.wrap(content);
                while (rest.hasRemaining()) {
                    channel.write(rest);
                }
                if (synced) {
                    // Syncs the content and the length of the file; its timestamps need not be synced.
                    channel.force(false);
                }
            }
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        }

        @Override
        public void sync(Path directory) throws IOException {
            if (synced) {
                try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
                    names.force(true);
                }
            }
        }
    }
}
