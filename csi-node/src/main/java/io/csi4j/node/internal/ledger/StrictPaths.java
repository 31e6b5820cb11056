package io.csi4j.node.internal.ledger;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the kernel refuse every symbolic link in a path. A plugin may write below the base directory, so a check before
 * an operation proves nothing: the plugin can put a link there between the two.
 *
 * <p>Linux follows at most 40 links while it resolves one path, and fails with ELOOP at the next one
 * (path_resolution(7)). {@link #of} puts 40 harmless links in front of a path, so each link in the path itself is one too
 * many. The kernel checks this while it performs the operation, so there is no time in between. The JDK has no mkdirat
 * and no umount2 that would do the same with a directory's descriptor.
 *
 * <p>On other systems, and on file systems of other providers, the operations look for links first.
 */
public final class StrictPaths {
    private static final int LINKS = 40;
    private static final Path SPENT = Path.of("/proc" + "/self/..".repeat(LINKS) + "/..");

    /**
     * The largest number of attempts. While other threads mount or unmount, the kernel may resolve a path a second time
     * and count its links twice; then an attempt fails although the path has no link.
     */
    private static final int TRIES = 100;

    private static final Optional<String> REFUSAL = refusal();

    private StrictPaths() {}

    /** An operation on one path. */
    @FunctionalInterface
    public interface Operation<T extends @Nullable Object> {
        T on(Path strict) throws IOException;
    }

    /**
     * Returns the reason in the exception for a refused link; empty if this system does not refuse links. The text
     * depends on the locale, so it is taken from a refusal.
     */
    private static Optional<String> refusal() {
        Path proc = Path.of("/proc");
        for (int attempt = 1; attempt <= TRIES; attempt++) {
            if (Files.isDirectory(within(proc))) {
                try {
                    BasicFileAttributes unused =
                            Files.readAttributes(within(proc.resolve("self")), BasicFileAttributes.class);
                    return Optional.empty();
                } catch (IOException e) {
                    return e instanceof FileSystemException refused
                            ? Optional.ofNullable(refused.getReason())
                            : Optional.empty();
                }
            }
        }
        return Optional.empty();
    }

    private static Path within(Path absolute) {
        return SPENT.resolve(absolute.toString().substring(1));
    }

    /**
     * Returns another spelling of a path, for which the kernel refuses every symbolic link. Prefer {@link #call}, which
     * tries again and names the path in exceptions.
     *
     * @param path absolute and without symbolic links
     * @return the path itself if this system does not support it
     */
    public static Path of(Path path) {
        return REFUSAL.isPresent() && path.isAbsolute() && path.getFileSystem().equals(FileSystems.getDefault())
                ? within(path)
                : path;
    }

    /**
     * Performs an operation that fails if the path, or a directory above it, is a symbolic link. An operation that does
     * not follow its last name works on a link there, and a link in a directory above it is refused.
     *
     * @param path absolute and without symbolic links
     * @throws IOException if a part of the path is a link; otherwise as the operation throws it, for the given path
     */
    public static <T extends @Nullable Object> T call(Path path, Operation<T> operation) throws IOException {
        Path strict = of(path);
        if (strict.equals(path)) {
            refuseLinks(path.getParent());
            return operation.on(path);
        }
        for (int attempt = 1; ; attempt++) {
            try {
                return operation.on(strict);
            } catch (NoSuchFileException e) {
                throw renamed(new NoSuchFileException(path.toString(), null, e.getReason()), e);
            } catch (FileAlreadyExistsException e) {
                throw renamed(new FileAlreadyExistsException(path.toString(), null, e.getReason()), e);
            } catch (DirectoryNotEmptyException e) {
                throw renamed(new DirectoryNotEmptyException(path.toString()), e);
            } catch (NotDirectoryException e) {
                throw renamed(new NotDirectoryException(path.toString()), e);
            } catch (AccessDeniedException e) {
                throw renamed(new AccessDeniedException(path.toString(), null, e.getReason()), e);
            } catch (FileSystemException e) {
                boolean refused = REFUSAL.equals(Optional.ofNullable(e.getReason()));
                if (refused) {
                    refuseLinks(path);
                }
                if (!refused || attempt == TRIES) {
                    throw renamed(new FileSystemException(path.toString(), null, e.getReason()), e);
                }
            }
        }
    }

    private static <E extends FileSystemException> E renamed(E named, FileSystemException original) {
        named.setStackTrace(original.getStackTrace());
        return named;
    }

    /** Returns whether a path, or a directory above it, is a link now. */
    public static boolean hasLink(Path path) {
        return link(path).isPresent();
    }

    private static void refuseLinks(@Nullable Path path) throws IOException {
        Optional<Path> link = link(path);
        if (link.isPresent()) {
            throw new IOException("'" + link.get() + "' is a link, and no directory of ours; look who put it there, and"
                    + " move it away");
        }
    }

    private static Optional<Path> link(@Nullable Path path) {
        for (Path at = path; at != null; at = at.getParent()) {
            if (Files.isSymbolicLink(at)) {
                return Optional.of(at);
            }
        }
        return Optional.empty();
    }

    /** Returns the attributes of a file; of the link itself if the last name is a link. Empty if there is no such file. */
    public static Optional<BasicFileAttributes> attributes(Path path) throws IOException {
        try {
            return Optional.of(call(
                    path,
                    strict -> Files.readAttributes(strict, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Lists the entries of a directory, sorted. */
    public static List<Path> list(Path directory) throws IOException {
        return call(directory, strict -> {
            try (Stream<Path> files = Files.list(strict)) {
                return files.map(file -> directory.resolve(file.getFileName()))
                        .sorted()
                        .toList();
            }
        });
    }
}
