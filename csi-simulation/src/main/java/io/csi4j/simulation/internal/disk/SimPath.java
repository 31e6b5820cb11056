package io.csi4j.simulation.internal.disk;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import org.jspecify.annotations.Nullable;

/** A path on a simulated disk; the syntax is that of the platform. */
final class SimPath implements Path {
    private final SimFileSystem fileSystem;
    private final Path text;

    SimPath(SimFileSystem fileSystem, Path text) {
        this.fileSystem = fileSystem;
        this.text = text;
    }

    private SimPath of(Path path) {
        return new SimPath(fileSystem, path);
    }

    private @Nullable Path ofNullable(@Nullable Path path) {
        return path == null ? null : of(path);
    }

    private static Path text(Path path) {
        return path instanceof SimPath sim ? sim.text : path;
    }

    @Override
    public FileSystem getFileSystem() {
        return fileSystem;
    }

    @Override
    public boolean isAbsolute() {
        return text.isAbsolute();
    }

    @Override
    public @Nullable Path getRoot() {
        return ofNullable(text.getRoot());
    }

    @Override
    public @Nullable Path getFileName() {
        return ofNullable(text.getFileName());
    }

    @Override
    public @Nullable Path getParent() {
        return ofNullable(text.getParent());
    }

    @Override
    public int getNameCount() {
        return text.getNameCount();
    }

    @Override
    public Path getName(int index) {
        return of(text.getName(index));
    }

    @Override
    public Path subpath(int beginIndex, int endIndex) {
        return of(text.subpath(beginIndex, endIndex));
    }

    @Override
    public boolean startsWith(Path other) {
        return text.startsWith(text(other));
    }

    @Override
    public boolean endsWith(Path other) {
        return text.endsWith(text(other));
    }

    @Override
    public Path normalize() {
        return of(text.normalize());
    }

    @Override
    public Path resolve(Path other) {
        return of(text.resolve(text(other)));
    }

    @Override
    public Path relativize(Path other) {
        return of(text.relativize(text(other)));
    }

    @Override
    public URI toUri() {
        return URI.create("simulated:" + text);
    }

    @Override
    public Path toAbsolutePath() {
        return isAbsolute() ? this : of(Path.of("/").resolve(text));
    }

    @Override
    public Path toRealPath(LinkOption... options) throws IOException {
        Path absolute = toAbsolutePath().normalize();
        if (fileSystem.disk().find(absolute.toString()).isEmpty()) {
            throw new NoSuchFileException(absolute.toString());
        }
        return absolute;
    }

    @Override
    public WatchKey register(WatchService watcher, WatchEvent.Kind<?>[] events, WatchEvent.Modifier... modifiers) {
        throw new UnsupportedOperationException("the simulated disk has no watch service");
    }

    @Override
    public int compareTo(Path other) {
        return text.compareTo(text(other));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SimPath path && path.fileSystem.equals(fileSystem) && path.text.equals(text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
