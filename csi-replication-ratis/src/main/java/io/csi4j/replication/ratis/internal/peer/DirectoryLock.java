package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.core.spi.LogFailedException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** Keeps a second log out of a data directory, until it is closed or the process ends. */
public final class DirectoryLock implements AutoCloseable {
    private final FileChannel channel;

    private DirectoryLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Locks a directory.
     *
     * @throws LogFailedException if it is in use
     */
    public static DirectoryLock of(Path directory) throws IOException {
        FileChannel channel =
                FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            if (tryLock(channel) != null) {
                return new DirectoryLock(channel);
            }
        } catch (IOException e) {
            channel.close();
            throw e;
        }
        channel.close();
        throw new LogFailedException(
                "The data directory " + directory + " is used by another server. Stop that one, or choose another"
                        + " directory; never copy the directory of a running server",
                null);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException usedInThisProcess) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
