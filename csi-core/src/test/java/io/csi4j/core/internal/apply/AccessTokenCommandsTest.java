package io.csi4j.core.internal.apply;

import static io.csi4j.core.internal.apply.Cluster.AT;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.internal.command.AccessTokenCommand.CreateAccessToken;
import io.csi4j.core.internal.command.AccessTokenCommand.RevokeAccessToken;
import java.util.List;
import org.junit.jupiter.api.Test;

class AccessTokenCommandsTest {
    private final Cluster cluster = Cluster.withoutController();
    private final AccessTokenSecret one = AccessTokenSecret.generate();
    private final AccessTokenSecret two = AccessTokenSecret.generate();

    private static CreateAccessToken create(AccessTokenSecret secret, boolean onlyFirst) {
        return new CreateAccessToken(
                secret.id(), AccessTokenRequest.of("ann", List.of("team-a")), secret.hash(), "root", onlyFirst, AT);
    }

    private Rejection rejected(Command command) {
        Outcome outcome = cluster.state.apply(command);
        assertThat(outcome.accepted()).as("%s", outcome).isFalse();
        return ((Outcome.Rejected) outcome).reason();
    }

    @Test
    void tokenIsStoredAndRemoved() {
        assertThat(cluster.ok(create(one, false)).changed()).isTrue();
        assertThat(cluster.state.accessTokens())
                .containsExactly(new AccessToken(
                        one.id(), AccessTokenRequest.of("ann", List.of("team-a")), one.hash(), "root", AT));
        cluster.ok(create(two, false));
        assertThat(cluster.ok(new RevokeAccessToken(one.id(), AT)).changed()).isTrue();
        assertThat(cluster.state.accessTokens()).extracting(AccessToken::id).containsExactly(two.id());
        cluster.unchanged(new RevokeAccessToken(one.id(), AT));
    }

    @Test
    void repeatedCreationChangesNothing() {
        cluster.ok(create(one, true));
        cluster.unchanged(create(one, true));
        cluster.unchanged(create(one, false));
    }

    @Test
    void otherTokenWithTheSameIdIsRejected() {
        cluster.ok(create(one, false));
        CreateAccessToken other =
                new CreateAccessToken(one.id(), AccessTokenRequest.management("eve"), two.hash(), "eve", false, AT);
        assertThat(rejected(other).message()).contains("access token " + one.id(), "is that of another token");
        assertThat(cluster.state.accessToken(one.id()).orElseThrow().accepts(one))
                .isTrue();
    }

    @Test
    void firstTokenIsTheOnlyFirstOne() {
        cluster.ok(create(one, true));
        assertThat(rejected(create(two, true))).isEqualTo(new Rejection.AccessTokensExist());
        cluster.ok(new RevokeAccessToken(one.id(), AT));
        cluster.ok(create(two, true));
        assertThat(cluster.state.accessTokens()).extracting(AccessToken::id).containsExactly(two.id());
    }
}
