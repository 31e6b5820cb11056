package io.csi4j.node.internal.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.node.MountPoints;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The operations on directories of csi4j, one after the other; {@code RacingPluginTest} has the races. */
class StrictDirectoriesTest {
    private static final MountPoints NOTHING = MountPoints.of(List.of());

    @TempDir
    Path temporary;

    private Path base;

    @BeforeEach
    void createBase() throws IOException {
        base = Files.createDirectory(temporary.toRealPath().resolve("base"));
    }

    @Test
    void directoryIsCreatedWithItsParentsForTheUserOnly() throws IOException {
        for (String name : List.of("strict/a/b", "strict/a/b", "strict/a/c")) {
            DurableDirectories.makeStrictly(base.resolve(name));
            assertThat(base.resolve(name)).isDirectory();
        }
        DurableDirectories.make(base.resolve("plain/a/b"));
        for (String name : List.of("strict", "strict/a/b", "plain", "plain/a/b")) {
            assertThat(Files.getPosixFilePermissions(base.resolve(name)))
                    .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void directoryIsNotCreatedInPlaceOfFileOrThroughLink() throws IOException {
        Path file = Files.createFile(base.resolve("file"));
        Path outside = Files.createDirectory(temporary.toRealPath().resolve("outside"));
        Path link = Files.createSymbolicLink(base.resolve("link"), outside);
        assertThatThrownBy(() -> DurableDirectories.makeStrictly(file))
                .isInstanceOf(IOException.class)
                .hasMessage("'" + file + "' is there and is no directory; move it away");
        assertThatThrownBy(() -> DurableDirectories.make(file)).hasMessageContaining("is there and is no directory");
        assertThatThrownBy(() -> DurableDirectories.makeStrictly(link)).hasMessageContaining("is there and is no");
        assertThatThrownBy(() -> DurableDirectories.makeStrictly(link.resolve("a")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'" + link + "' is a link");
        assertThat(outside).isEmptyDirectory();
        DurableDirectories.make(link.resolve("a"));
        assertThat(outside.resolve("a")).isDirectory();
    }

    @Test
    void emptyLeafIsRemovedWithItsEmptyParentsBelowTheRoot() throws IOException {
        Path root = base.resolve("publish/ns");
        DurableDirectories.makeStrictly(root.resolve("v/a/deep"));
        assertThat(DurableDirectories.remove(root.resolve("v/a"), root, NOTHING))
                .isFalse();
        assertThat(DurableDirectories.remove(root.resolve("v/a/deep"), root, NOTHING))
                .isTrue();
        assertThat(root).isEmptyDirectory();

        DurableDirectories.makeStrictly(root.resolve("v/a"));
        DurableDirectories.makeStrictly(root.resolve("v/b"));
        assertThat(DurableDirectories.remove(root.resolve("v/a"), root, NOTHING))
                .isTrue();
        assertThat(root.resolve("v")).isDirectoryContaining("glob:**/b").isDirectoryNotContaining("glob:**/a");
        assertThat(DurableDirectories.remove(root.resolve("v/missing"), root, NOTHING))
                .isTrue();
        assertThat(DurableDirectories.remove(root, root, NOTHING)).isFalse();
        assertThat(DurableDirectories.remove(root.resolve("v/b"), root, NOTHING))
                .isTrue();
        assertThat(root).isEmptyDirectory();
        assertThat(DurableDirectories.remove(root, root, NOTHING)).isTrue();
        assertThat(base.resolve("publish")).isEmptyDirectory();
    }

    @Test
    void mountPointAndFileWithContentAreNotRemoved() throws IOException {
        Path target = base.resolve("v/a");
        DurableDirectories.makeStrictly(target);
        for (Path mounted : List.of(target, target.resolve("below"))) {
            assertThat(DurableDirectories.remove(target, base, MountPoints.of(List.of(mounted))))
                    .isFalse();
        }
        Path full = Files.writeString(base.resolve("v/full"), "x");
        Path empty = Files.writeString(base.resolve("v/empty"), "");
        Path link = Files.createSymbolicLink(base.resolve("v/link"), full);
        assertThat(DurableDirectories.remove(full, base, NOTHING)).isFalse();
        assertThat(DurableDirectories.remove(empty, base, NOTHING)).isTrue();
        assertThat(DurableDirectories.remove(link, base, NOTHING)).isTrue();
        assertThat(full).hasContent("x");
        assertThat(target).isDirectory();
        assertThat(base.resolve("v")).isDirectoryNotContaining("glob:**/{empty,link}");
    }

    private static long count(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.count();
        }
    }

    /** Returns the failure of an operation, which has to name the path as it was given. */
    private static FileSystemException failure(Path path, StrictPaths.Operation<Object> operation) {
        try {
            StrictPaths.call(path, operation);
        } catch (FileSystemException e) {
            assertThat(e.getFile()).isEqualTo(path.toString());
            assertThat(e.getStackTrace()).isNotEmpty();
            return e;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("the operation did not fail");
    }

    @Test
    void exceptionNamesPathAsItWasGivenAndKeepsItsKind() throws IOException {
        Path file = Files.createFile(base.resolve("file"));
        Files.createDirectories(base.resolve("full/a"));
        assertThat(failure(base.resolve("missing"), Files::readAllBytes)).isInstanceOf(NoSuchFileException.class);
        assertThat(failure(file, Files::createDirectory)).isInstanceOf(FileAlreadyExistsException.class);
        assertThat(failure(base.resolve("full"), Files::deleteIfExists)).isInstanceOf(DirectoryNotEmptyException.class);
        assertThat(failure(file, StrictDirectoriesTest::count)).isInstanceOf(NotDirectoryException.class);
        assertThat(failure(file, strict -> {
                    throw new AccessDeniedException(strict.toString(), null, "not permitted");
                }))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessage(file + ": not permitted");
        AtomicInteger attempts = new AtomicInteger();
        assertThat(failure(file, strict -> {
                    attempts.incrementAndGet();
                    throw new FileSystemException(strict.toString(), null, "the disk is broken");
                }))
                .hasMessage(file + ": the disk is broken");
        assertThat(attempts).hasValue(1);
    }

    /** A kernel may count the links of a path twice while other threads mount. */
    @Test
    void refusalOfPathWithoutLinkIsTriedAgainSeveralTimes() throws IOException {
        Path link = Files.createSymbolicLink(base.resolve("link"), base);
        String refusal = refusalOf(link);
        AtomicInteger attempts = new AtomicInteger();
        assertThat(StrictPaths.<String>call(base, strict -> {
                    if (attempts.incrementAndGet() < 5) {
                        throw new FileSystemException(strict.toString(), null, refusal);
                    }
                    return "done";
                }))
                .isEqualTo("done");
        assertThat(failure(base, strict -> {
                    attempts.incrementAndGet();
                    throw new FileSystemException(strict.toString(), null, refusal);
                }))
                .hasMessage(base + ": " + refusal);
        assertThat(attempts).hasValue(105);
    }

    /** Returns the reason with which the kernel refuses a link. */
    private static String refusalOf(Path link) {
        try {
            Object unused = Files.readAttributes(StrictPaths.of(link), "*");
        } catch (FileSystemException e) {
            return String.valueOf(e.getReason());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        throw new AssertionError("the kernel did not refuse " + link);
    }

    @Test
    void linkAnywhereInPathIsRefusedAndNamed() throws IOException {
        Path outside = Files.createDirectories(temporary.toRealPath().resolve("outside/a"));
        Path link = Files.createSymbolicLink(base.resolve("link"), outside.getParent());
        for (Path path : List.of(link, link.resolve("a"))) {
            assertThatThrownBy(() -> StrictPaths.list(path))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("'" + link + "' is a link");
            assertThat(StrictPaths.hasLink(path)).isTrue();
        }
        assertThat(StrictPaths.hasLink(outside)).isFalse();
        assertThat(StrictPaths.attributes(link).orElseThrow().isSymbolicLink()).isTrue();
        assertThatThrownBy(() -> StrictPaths.attributes(link.resolve("a"))).hasMessageContaining("is a link");
        assertThat(StrictPaths.attributes(base.resolve("missing"))).isEmpty();
    }

    @Test
    void entriesAreListedInOrderUnderTheGivenDirectory() throws IOException {
        for (String name : List.of("c", "a", "b")) {
            Files.createFile(base.resolve(name));
        }
        assertThat(StrictPaths.list(base)).containsExactly(base.resolve("a"), base.resolve("b"), base.resolve("c"));
    }
}
