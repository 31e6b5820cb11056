package io.csi4j.simulation.internal.disk;

import io.csi4j.simulation.internal.disk.SimDisk.DirectoryNode;
import io.csi4j.simulation.internal.disk.SimDisk.FileNode;
import io.csi4j.simulation.internal.disk.SimDisk.Inode;
import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.FileTime;
import java.nio.file.spi.FileSystemProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The operations on a simulated disk that small durable files need. */
final class SimFileSystemProvider extends FileSystemProvider {
    private final SimFileSystem process;

    SimFileSystemProvider(SimFileSystem process) {
        this.process = process;
    }

    private Inode inode(Path path) throws NoSuchFileException {
        return process.disk()
                .find(path.toAbsolutePath().toString())
                .orElseThrow(() -> new NoSuchFileException(path.toString()));
    }

    private DirectoryNode directory(@Nullable Path path) throws IOException {
        if (path == null) {
            return process.disk().root();
        }
        if (inode(path) instanceof DirectoryNode directory) {
            return directory;
        }
        throw new NotDirectoryException(path.toString());
    }

    private DirectoryNode parent(Path path) throws IOException {
        return directory(path.toAbsolutePath().getParent());
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }

    @Override
    public String getScheme() {
        return "simulated";
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        boolean writable = options.contains(StandardOpenOption.WRITE);
        DirectoryNode parent = parent(path);
        Inode inode = path.getFileName() == null ? parent : parent.names.get(name(path));
        if (inode == null) {
            if (!options.contains(StandardOpenOption.CREATE)) {
                throw new NoSuchFileException(path.toString());
            }
            process.gate().pass();
            inode = new FileNode();
            parent.names.put(name(path), inode);
        }
        if (options.contains(StandardOpenOption.TRUNCATE_EXISTING) && inode instanceof FileNode file) {
            process.gate().pass();
            file.content = new byte[0];
            file.synced = null;
        }
        return new SimFileChannel(process, inode, writable);
    }

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        List<Path> paths = new ArrayList<>();
        for (String name : directory(directory).names.keySet()) {
            Path path = directory.resolve(name);
            if (filter.accept(path)) {
                paths.add(path);
            }
        }
        return new DirectoryStream<>() {
            @Override
            public Iterator<Path> iterator() {
                return paths.iterator();
            }

            @Override
            public void close() {}
        };
    }

    @Override
    public void createDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
        DirectoryNode parent = parent(path);
        if (parent.names.containsKey(name(path))) {
            throw new FileAlreadyExistsException(path.toString());
        }
        process.gate().pass();
        parent.names.put(name(path), new DirectoryNode());
    }

    @Override
    public void delete(Path path) throws IOException {
        if (inode(path) instanceof DirectoryNode directory && !directory.names.isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        process.gate().pass();
        parent(path).names.remove(name(path));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        Inode inode = inode(source);
        DirectoryNode to = parent(target);
        process.gate().pass();
        parent(source).names.remove(name(source));
        to.names.put(name(target), inode);
    }

    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        Inode unused = inode(path);
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        return type.cast(new Attributes(inode(path)));
    }

    @Override
    public boolean isSameFile(Path one, Path other) throws IOException {
        return inode(one).equals(inode(other));
    }

    @Override
    public boolean isHidden(Path path) {
        return false;
    }

    /** The attributes of a file or directory; the disk keeps no times. */
    private record Attributes(Inode inode) implements BasicFileAttributes {
        private static final FileTime NEVER = FileTime.fromMillis(0);

        @Override
        public FileTime lastModifiedTime() {
            return NEVER;
        }

        @Override
        public FileTime lastAccessTime() {
            return NEVER;
        }

        @Override
        public FileTime creationTime() {
            return NEVER;
        }

        @Override
        public boolean isRegularFile() {
            return inode instanceof FileNode;
        }

        @Override
        public boolean isDirectory() {
            return inode instanceof DirectoryNode;
        }

        @Override
        public boolean isSymbolicLink() {
            return false;
        }

        @Override
        public boolean isOther() {
            return false;
        }

        @Override
        public long size() {
            return inode instanceof FileNode file ? file.content.length : 0;
        }

        @Override
        public Object fileKey() {
            return inode;
        }
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("the simulated disk has no such operation");
    }

    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> settings) {
        throw unsupported();
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        throw unsupported();
    }

    @Override
    public Path getPath(URI uri) {
        throw unsupported();
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) {
        throw unsupported();
    }

    @Override
    public FileStore getFileStore(Path path) {
        throw unsupported();
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        return null;
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) {
        throw unsupported();
    }

    @Override
    public void setAttribute(Path path, String attribute, Object value, LinkOption... options) {
        throw unsupported();
    }
}
