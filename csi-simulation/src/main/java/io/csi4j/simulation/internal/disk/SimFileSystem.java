package io.csi4j.simulation.internal.disk;

import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Set;

/**
 * A disk as one process sees it. A path of one process never equals a path of another process, and a file lock belongs
 * to the process that took it.
 */
public final class SimFileSystem extends FileSystem {
    private final SimDisk disk;
    private final WriteGate gate;
    private boolean ended;
    private final SimFileSystemProvider provider = new SimFileSystemProvider(this);

    SimFileSystem(SimDisk disk, WriteGate gate) {
        this.disk = disk;
        this.gate = gate;
    }

    /** Releases all file locks of the process, because the process has ended. */
    public void processEnded() {
        ended = true;
    }

    boolean ended() {
        return ended;
    }

    SimDisk disk() {
        return disk;
    }

    WriteGate gate() {
        return gate;
    }

    @Override
    public FileSystemProvider provider() {
        return provider;
    }

    @Override
    public void close() {}

    @Override
    public boolean isOpen() {
        return true;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(getPath("/"));
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of();
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of("basic");
    }

    @Override
    public Path getPath(String first, String... more) {
        return new SimPath(this, Path.of(first, more));
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        throw new UnsupportedOperationException("the simulated disk has no path matchers");
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw new UnsupportedOperationException("the simulated disk has no users");
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException("the simulated disk has no watch service");
    }
}
