package io.csi4j.admin.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.lifecycle.NewAccessToken;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TokenAuthenticatorTest {
    private static final AccessTokenRequest ANN = AccessTokenRequest.of("ann", List.of("team-a"));

    private final TwoServers servers = new TwoServers();

    @AfterEach
    void closeServers() {
        servers.close();
    }

    @Test
    void eachServerKnowsTheHolder() {
        NewAccessToken created = servers.two.create(ANN);
        for (TwoServers.Server server : List.of(servers.one, servers.two)) {
            TokenPrincipal ann =
                    server.authenticator().authenticate(created.secret().text()).orElseThrow();
            assertThat(ann.getName()).isEqualTo("ann");
            assertThat(ann.id()).isEqualTo(created.token().id());
            assertThat(ann.token()).contains(created.token());
            assertThat(ann.toString()).doesNotContain(created.secret().text().substring(23));
        }
        NewAccessToken other = servers.one.create(ANN);
        var again = servers.one.authenticator();
        assertThat(again.authenticate(created.secret().text()))
                .isEqualTo(servers.two
                        .authenticator()
                        .authenticate(created.secret().text()))
                .isNotEqualTo(again.authenticate(other.secret().text()));
    }

    @Test
    void revokedTokenEndsOnEachServerWithItsState() {
        NewAccessToken created = servers.one.create(ANN);
        String secret = created.secret().text();
        TokenPrincipal onOne = servers.one.authenticator().authenticate(secret).orElseThrow();
        TokenPrincipal onTwo = servers.two.authenticator().authenticate(secret).orElseThrow();
        servers.two.lags = true;
        servers.done(servers.one.lifecycle.accessTokens().revoke(created.token().id()));
        assertThat(servers.one.authenticator().authenticate(secret)).isEmpty();
        assertThat(onOne.token()).isEmpty();
        assertThat(onTwo.token())
                .as("the follower does not have the revocation")
                .isPresent();
        servers.two.catchUp();
        assertThat(servers.two.authenticator().authenticate(secret)).isEmpty();
        assertThat(onTwo.token()).isEmpty();
    }

    @Test
    void tokenExpiresByTheClockOfTheServerAndAlsoComesBackWithIt() {
        NewAccessToken created =
                servers.one.create(ANN.expiringAt(servers.time.instant().plusSeconds(60)));
        String secret = created.secret().text();
        TokenAuthenticator authenticator = servers.one.authenticator();
        TokenPrincipal ann = authenticator.authenticate(secret).orElseThrow();
        servers.time.advance(Duration.ofSeconds(60).minusNanos(1));
        assertThat(ann.token()).isPresent();
        servers.time.advance(Duration.ofNanos(1));
        assertThat(ann.token()).isEmpty();
        assertThat(authenticator.authenticate(secret)).isEmpty();
        servers.time.setClock(Duration.ofSeconds(-30));
        assertThat(ann.token()).isPresent();
        assertThat(authenticator.authenticate(secret)).isPresent();
    }

    @Test
    void otherTextsAreRefused() {
        NewAccessToken created = servers.one.create(ANN);
        String secret = created.secret().text();
        String ofOtherCluster = AccessTokenSecret.generate().text();
        String id = created.token().id().value();
        for (String text : List.of(
                "",
                ofOtherCluster,
                // The right id with the random part of another token, and with one digit changed.
                "csi4j_" + id + ofOtherCluster.substring(22),
                secret.substring(0, 86) + (secret.endsWith("0") ? "1" : "0"),
                secret.toUpperCase(Locale.ROOT),
                secret + "\n",
                id,
                "csi4j_" + id + "_"
                        + HexFormat.of().formatHex(created.token().hash().bytes()),
                // The identities of agents and servers are certificates with such names.
                "csi4j://server",
                "csi4j://node/n1",
                "Bearer " + secret)) {
            assertThat(servers.one.authenticator().authenticate(text)).as(text).isEmpty();
        }
        assertThat(servers.one.authenticator().authenticate(secret)).isPresent();
    }

    @Test
    void holderOfAnOldTokenIsNotTheHolderOfAnotherOneWithItsId() throws Exception {
        NewAccessToken created = servers.one.create(ANN);
        TokenPrincipal ann = servers.one
                .authenticator()
                .authenticate(created.secret().text())
                .orElseThrow();
        servers.done(servers.one.lifecycle.accessTokens().revoke(created.token().id()));
        String id = created.token().id().value();
        AccessTokenSecret other = AccessTokenSecret.parse(
                        "csi4j_" + id + AccessTokenSecret.generate().text().substring(22))
                .orElseThrow();
        AccessToken root = servers.done(servers.one.lifecycle.accessTokens().createFirst("root", other));
        assertThat(root.id()).isEqualTo(ann.id());
        assertThat(ann.token()).isEmpty();
    }
}
