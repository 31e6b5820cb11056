package io.csi4j.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.internal.file.OwnDirectory;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OwnDirectoryTest {
    private static final String PRIVATE = "rwx------";
    private static final int OTHER_USER = 1;

    @TempDir
    Path parent;

    private Path directory;

    @BeforeEach
    void name() {
        directory = parent.resolve("d");
    }

    private Path make(String permissions) throws IOException {
        Files.createDirectory(directory);
        return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void foreign(ThrowingCallable call, Path path) {
        assertThatThrownBy(call)
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("The directory " + path + " belongs to the user ");
    }

    private static void give(Path path) throws IOException {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        Files.setAttribute(path, "unix:uid", OTHER_USER);
    }

    @Test
    void newDirectoryIsPrivate() throws IOException {
        OwnDirectory.make(directory.resolve("e"));
        assertThat(permissions(directory.resolve("e"))).isEqualTo(PRIVATE);
        OwnDirectory.makeIn(parent, parent.resolve("in"));
        assertThat(permissions(parent.resolve("in"))).isEqualTo(PRIVATE);
    }

    @Test
    void directoryThatOthersCanOnlyReadIsLeft() throws IOException {
        OwnDirectory.make(make("rwxr-xr-x"));
        assertThat(permissions(directory)).isEqualTo("rwxr-xr-x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rwx-w----", "rwx----w-"})
    void directoryThatOthersCanChangeIsRefused(String permissions) throws IOException {
        make(permissions);
        assertThatThrownBy(() -> OwnDirectory.make(directory))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The directory " + directory + " has the permissions " + permissions);
        assertThat(permissions(directory)).isEqualTo(permissions);
    }

    @Test
    void directoryInPrivateOneBecomesPrivate() throws IOException {
        make("rwxrwxrwx");
        OwnDirectory.makeIn(parent, directory);
        assertThat(permissions(directory)).isEqualTo(PRIVATE);
    }

    @Test
    void onlyExistingDirectoryIsTakenOver() throws IOException {
        Path link = Files.createSymbolicLink(parent.resolve("link"), make("rwxr-xr-x"));
        OwnDirectory.takeOver(link);
        assertThat(permissions(directory)).isEqualTo("rwxr-xr-x");
        OwnDirectory.takeOver(directory);
        assertThat(permissions(directory)).isEqualTo(PRIVATE);
        Path missing = parent.resolve("missing");
        OwnDirectory.takeOver(missing);
        assertThat(missing).doesNotExist();
    }

    @Test
    void directoryOfAnotherUserIsRefused() throws IOException {
        give(make(PRIVATE));
        foreign(() -> OwnDirectory.make(directory), directory);
        foreign(() -> OwnDirectory.makeIn(parent, directory), directory);
        foreign(() -> OwnDirectory.takeOver(directory), directory);
        foreign(() -> OwnDirectory.mustBeOwn(directory), directory);
        assertThatCode(() -> OwnDirectory.mustBeOwn(parent)).doesNotThrowAnyException();
    }

    @Test
    void socketOfAnotherUserIsNamedUnlessItsOwnerIs() throws IOException {
        Path socket = Files.createFile(make(PRIVATE).resolve("x.sock"));
        assertThat(SocketOwner.problem(socket, Optional.empty())).isEmpty();
        give(socket);
        assertThat(SocketOwner.problem(socket, Optional.of("2")).orElseThrow())
                .startsWith("the socket " + socket + " belongs to the user ")
                .contains("if the socket is the right one, name its owner");
        String name = Files.getOwner(socket).getName();
        assertThat(SocketOwner.problem(socket, Optional.of(name))).isEmpty();
        assertThat(SocketOwner.problem(socket, Optional.of("" + OTHER_USER))).isEmpty();
        give(directory);
        Files.setAttribute(socket, "unix:uid", 0);
        assertThat(SocketOwner.problem(socket, Optional.empty()).orElseThrow())
                .startsWith("the directory " + directory + " of the socket x.sock belongs to the user ");
        assertThat(SocketOwner.problem(socket, Optional.of(name))).isEmpty();
        assertThatThrownBy(() -> SocketOwner.check(socket, Optional.empty()))
                .isInstanceOf(StatusRuntimeException.class)
                .hasRootCauseMessage(
                        SocketOwner.problem(socket, Optional.empty()).orElseThrow());
    }

    @Test
    void linkToSocketIsRefusedAndMissingSocketIsLeftToConnect() throws IOException {
        Path socket = Files.createFile(make(PRIVATE).resolve("x.sock"));
        Path link = Files.createSymbolicLink(directory.resolve("link.sock"), socket);
        assertThat(SocketOwner.problem(link, Optional.empty()).orElseThrow()).startsWith(link + " is a symbolic link");
        assertThat(SocketOwner.problem(directory.resolve("missing"), Optional.empty()))
                .isEmpty();
    }
}
