package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.access.AccessToken;
import io.csi4j.core.access.AccessTokenRequest;
import io.csi4j.core.access.AccessTokenSecret;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AccessTokenId;
import io.csi4j.core.state.ListPage;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AccessTokensTest {
    private final VolumeRig rig = VolumeRig.started();
    private final AccessTokens tokens = rig.follower().as(() -> "root").accessTokens();

    private List<AccessToken> rows() {
        List<AccessToken> rows = new ArrayList<>();
        rig.log.snapshot().accessTokens().forEach(rows::add);
        return rows;
    }

    @Test
    void createdTokenIsInTheStateWithTheHashOnly() {
        NewAccessToken created = rig.done(tokens.create(AccessTokenRequest.of("ann", List.of("team-a"))
                .expiringAt(rig.now().plusSeconds(1))));
        assertThat(rows()).containsExactly(created.token());
        assertThat(created.token().accepts(created.secret())).isTrue();
        assertThat(created.token().createdBy()).isEqualTo("root");
        assertThat(created.token().createdAt()).isEqualTo(rig.now());
        assertThat(rig.done(tokens.get(created.token().id()))).isEqualTo(created.token());
        String random = created.secret().text().substring(23);
        assertThat(rig.log.commands.toString())
                .contains(created.token().id().value())
                .doesNotContain(random);
        assertThat(created.toString()).doesNotContain(random);
    }

    @Test
    void requestWithProblemsIsRefusedWithAllOfThem() {
        assertThat(rig.failed(
                        tokens.create(AccessTokenRequest.of("", List.of()).expiringAt(rig.now())),
                        CsiRequestException.class))
                .hasMessageContainingAll("name is blank", "policies are missing", "expiresAt has passed");
        assertThat(rows()).isEmpty();
    }

    @Test
    void creationWithoutAnswerIsNotRepeated() {
        // A repetition that the log applies late would bring back a token that was revoked meanwhile.
        rig.log.lose(1, true);
        int before = rig.log.submitted;
        rig.failedLater(tokens.create(AccessTokenRequest.management("ann")), CsiException.class);
        assertThat(rig.log.submitted).isEqualTo(before + 1);
        assertThat(rows()).hasSize(1);
    }

    @Test
    void revocationIsRepeatedUntilItIsAnswered() {
        AccessToken token =
                rig.done(tokens.create(AccessTokenRequest.management("ann"))).token();
        rig.log.lose(2, false);
        rig.later(tokens.revoke(token.id()));
        assertThat(rows()).isEmpty();
    }

    @Test
    void unknownTokenIsNeitherReturnedNorRevoked() {
        AccessTokenId id = AccessTokenId.of("5f0c7a91e2d84b36");
        int before = rig.log.submitted;
        for (var unknown : List.of(tokens.get(id), tokens.revoke(id))) {
            assertThat(rig.failed(unknown, CsiRequestException.class))
                    .hasMessageContainingAll("is 5f0c7a91e2d84b36, and no access token has it", "list the tokens");
        }
        assertThat(rig.log.submitted).isEqualTo(before);
    }

    @Test
    void oneFirstTokenWins() {
        AccessTokenSecret one = AccessTokenSecret.generate();
        AccessTokenSecret two = AccessTokenSecret.generate();
        AccessToken first = rig.done(tokens.createFirst("first", one));
        assertThat(first.request()).isEqualTo(AccessTokenRequest.management("first"));
        assertThat(rig.failed(tokens.createFirst("first", two), RejectedException.class)
                        .reason())
                .isEqualTo(new Rejection.AccessTokensExist());
        assertThat(rig.done(tokens.createFirst("first", one))).isEqualTo(first);
        assertThat(rows()).containsExactly(first);
    }

    @Test
    void pagesHaveEachTokenOnceInTheOrderOfIds() {
        List<AccessTokenId> ids = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            ids.add(rig.done(tokens.create(AccessTokenRequest.management("t" + i)))
                    .token()
                    .id());
        }
        ids.sort(null);
        List<AccessTokenId> listed = new ArrayList<>();
        Optional<AccessTokenId> after = Optional.empty();
        int pages = 0;
        do {
            ListPage<AccessToken, AccessTokenId> page = rig.done(tokens.list(new AccessTokenQuery("", after, 5)));
            assertThat(page.items()).hasSize(5);
            page.items().forEach(token -> listed.add(token.id()));
            after = page.next();
            pages++;
        } while (after.isPresent());
        assertThat(pages).isEqualTo(5);
        assertThat(listed).isEqualTo(ids);
        String prefix = ids.get(7).value().substring(0, 10);
        assertThat(rig.done(tokens.list(new AccessTokenQuery(prefix, Optional.empty(), 5)))
                        .items())
                .extracting(AccessToken::id)
                .containsExactly(ids.get(7));
        assertThat(rig.done(tokens.list(AccessTokenQuery.all())).next()).isEmpty();
    }
}
