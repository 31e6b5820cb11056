package io.csi4j.admin.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.call.CsiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstTokenTest {
    private final TwoServers servers = new TwoServers();

    @TempDir
    Path directory;

    private Path one;
    private Path two;

    @BeforeEach
    void makeDirectories() throws IOException {
        one = Files.createDirectory(directory.resolve("one")).resolve("token");
        two = Files.createDirectory(directory.resolve("two")).resolve("token");
    }

    @AfterEach
    void closeServers() {
        servers.close();
    }

    private boolean start(TwoServers.Server server, Path file) {
        return servers.done(FirstToken.create(server.lifecycle, file));
    }

    private TokenPrincipal holder(TwoServers.Server server, Path file) throws IOException {
        return server.authenticator()
                .authenticate(Files.readString(file).strip())
                .orElseThrow();
    }

    private static List<Path> files(Path file) throws IOException {
        try (Stream<Path> all = Files.list(file.getParent())) {
            return all.sorted().toList();
        }
    }

    private List<AccessToken> tokens() {
        List<AccessToken> tokens = new ArrayList<>();
        servers.one.state().snapshot().accessTokens().forEach(tokens::add);
        return tokens;
    }

    @Test
    void firstStartMakesOneManagementTokenAndTheNextOnesNone() throws IOException {
        assertThat(start(servers.one, one)).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(one)))
                .isEqualTo("rw-------");
        assertThat(files(one)).containsExactly(one);
        AccessToken token = holder(servers.two, one).token().orElseThrow();
        assertThat(token.request()).isEqualTo(AccessTokenRequest.management("first"));
        String text = Files.readString(one);
        assertThat(start(servers.one, one)).isFalse();
        assertThat(start(servers.two, two)).isFalse();
        assertThat(Files.readString(one)).isEqualTo(text);
        assertThat(files(two)).isEmpty();
        assertThat(tokens()).containsExactly(token);
    }

    @Test
    void secretIsOnTheDiskForItsOwnerOnlyBeforeTheCommand() {
        List<String> seen = new ArrayList<>();
        servers.one.beforeCommand = () -> {
            try {
                for (Path file : files(one)) {
                    assertThat(AccessTokenSecret.parse(Files.readString(file).strip()))
                            .isPresent();
                    seen.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        };
        start(servers.one, one);
        assertThat(seen).containsExactly("rw-------");
    }

    @Test
    void oneOfTwoFirstStartsAtTheSameTimeWins() throws IOException {
        boolean[] other = new boolean[1];
        servers.one.beforeCommand = () -> {
            servers.one.beforeCommand = () -> {};
            other[0] = start(servers.two, two);
        };
        assertThat(start(servers.one, one)).isFalse();
        assertThat(other[0]).isTrue();
        assertThat(files(one)).isEmpty();
        assertThat(files(two)).containsExactly(two);
        assertThat(tokens()).hasSize(1);
        assertThat(holder(servers.one, two).token()).contains(tokens().get(0));
    }

    @Test
    void crashBeforeTheCommandLeavesNoUsableSecret() throws IOException {
        servers.one.losesCommands = true;
        assertThatThrownBy(() -> start(servers.one, one)).hasCauseInstanceOf(CsiException.class);
        assertThat(files(one)).hasSize(1).doesNotContain(one);
        String lost = Files.readString(files(one).get(0));
        servers.one.losesCommands = false;
        assertThat(start(servers.one, one)).isTrue();
        assertThat(files(one)).containsExactly(one);
        assertThat(Files.readString(one)).isNotEqualTo(lost);
        assertThat(holder(servers.one, one).token()).contains(tokens().get(0));
        assertThat(tokens()).hasSize(1);
    }

    @Test
    void secretOfACrashIsRemovedIfAnotherServerHasMadeTheToken() throws IOException {
        servers.one.losesCommands = true;
        assertThatThrownBy(() -> start(servers.one, one)).hasCauseInstanceOf(CsiException.class);
        servers.one.losesCommands = false;
        assertThat(start(servers.two, two)).isTrue();
        assertThat(start(servers.one, one)).isFalse();
        assertThat(files(one)).isEmpty();
        assertThat(tokens()).hasSize(1);
    }

    @Test
    void crashAfterTheCommandKeepsItsSecret() throws IOException {
        servers.one.losesAnswers = true;
        assertThatThrownBy(() -> start(servers.one, one)).hasCauseInstanceOf(CsiException.class);
        String secret = Files.readString(files(one).get(0));
        assertThat(files(one)).hasSize(1).doesNotContain(one);
        servers.one.losesAnswers = false;
        assertThat(start(servers.one, one)).isTrue();
        assertThat(files(one)).containsExactly(one);
        assertThat(Files.readString(one)).isEqualTo(secret);
        assertThat(tokens()).hasSize(1);
        assertThat(holder(servers.two, one).token()).contains(tokens().get(0));
    }

    @Test
    void serverWhoseStateLagsKeepsItsFile() throws IOException {
        // The second server stands for the first one after its restart, before its state has all commands.
        servers.two.lags = true;
        assertThat(start(servers.one, one)).isTrue();
        String secret = Files.readString(one);
        assertThat(servers.two.state().snapshot().accessTokens()).isEmpty();
        assertThat(start(servers.two, one)).isFalse();
        assertThat(files(one)).containsExactly(one);
        assertThat(Files.readString(one)).isEqualTo(secret);
    }

    @Test
    void crashAfterTheCommandKeepsItsSecretAlsoIfTheStateLags() throws IOException {
        servers.two.lags = true;
        servers.one.losesAnswers = true;
        assertThatThrownBy(() -> start(servers.one, one)).hasCauseInstanceOf(CsiException.class);
        String secret = Files.readString(files(one).get(0));
        assertThat(servers.two.state().snapshot().accessTokens()).isEmpty();
        assertThat(start(servers.two, one)).isTrue();
        assertThat(files(one)).containsExactly(one);
        assertThat(Files.readString(one)).isEqualTo(secret);
        assertThat(tokens()).hasSize(1);
    }

    @Test
    void plantedSecretIsNeverUsed() throws IOException {
        AccessTokenSecret planted = AccessTokenSecret.generate();
        Files.writeString(one.resolveSibling("token.planted.pending"), planted.text() + "\n");
        Files.writeString(one, planted.text() + "\n");
        Files.createSymbolicLink(one.resolveSibling("token.link.pending"), one);
        assertThat(start(servers.one, one)).isTrue();
        assertThat(files(one)).containsExactly(one);
        assertThat(Files.readString(one)).isNotEqualTo(planted.text() + "\n");
        assertThat(servers.one.authenticator().authenticate(planted.text())).isEmpty();
    }

    @Test
    void firstTokenComesAgainWithAnotherSecretWhenAllAreRevoked() throws IOException {
        start(servers.one, one);
        String secret = Files.readString(one);
        servers.done(servers.one.lifecycle.accessTokens().revoke(tokens().get(0).id()));
        assertThat(start(servers.one, one)).isTrue();
        assertThat(Files.readString(one)).isNotEqualTo(secret);
        assertThat(servers.one.authenticator().authenticate(secret.strip())).isEmpty();
        assertThat(holder(servers.one, one).token()).contains(tokens().get(0));
    }

    @Test
    void otherFilesAreNotReplaced() throws IOException {
        Files.writeString(one, "something else");
        Files.createSymbolicLink(two, one);
        for (Path file : List.of(one, two, directory)) {
            assertThatThrownBy(() -> start(servers.one, file))
                    .hasRootCauseInstanceOf(CsiException.class)
                    .hasMessageContaining("exists, and is another file")
                    .hasMessageContaining(file.toString());
        }
        assertThat(Files.readString(one)).isEqualTo("something else");
        assertThat(tokens()).isEmpty();
    }

    @Test
    void missingDirectoryIsNamed() {
        Path file = directory.resolve("missing/token");
        assertThatThrownBy(() -> start(servers.one, file))
                .hasMessageContaining("cannot be written to " + file)
                .hasMessageContaining("create its directory");
        assertThat(tokens()).isEmpty();
    }
}
