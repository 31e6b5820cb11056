package io.csi4j.core.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.csi4j.core.call.Problem;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AccessTokenTest {
    private static final Instant AT = Instant.parse("2026-11-01T12:00:00Z");

    private final AccessTokenSecret secret = AccessTokenSecret.generate();

    private AccessToken token(AccessTokenRequest request) {
        return new AccessToken(secret.id(), request, secret.hash(), "root", AT);
    }

    @Test
    void secretHasOneSpelling() {
        String text = secret.text();
        assertThat(text).matches("csi4j_[0-9a-f]{16}_[0-9a-f]{64}").startsWith("csi4j_" + secret.id() + "_");
        assertThat(AccessTokenSecret.parse(text).orElseThrow().hash()).isEqualTo(secret.hash());
        for (String other : List.of(
                "",
                text.substring(1),
                text.substring(0, text.length() - 1),
                text + "0",
                text + "\n",
                " " + text.substring(1),
                text.replace("csi4j_", "CSI4J_"),
                text.substring(0, text.length() - 1) + "A",
                text.substring(0, text.length() - 1) + "g",
                text.substring(0, text.length() - 1) + "/",
                text.substring(0, text.length() - 1) + ":",
                text.substring(0, text.length() - 1) + "`",
                text.substring(0, text.length() - 1) + "\u0661",
                text.substring(0, 10) + "_" + text.substring(11),
                text.substring(0, 22) + "0" + text.substring(23),
                "csi4j://server")) {
            assertThat(AccessTokenSecret.parse(other)).as(other).isEmpty();
        }
    }

    @Test
    void secretsAndIdsDiffer() {
        List<AccessTokenSecret> many = IntStream.range(0, 1000)
                .mapToObj(i -> AccessTokenSecret.generate())
                .toList();
        assertThat(many).extracting(AccessTokenSecret::id).doesNotHaveDuplicates();
        assertThat(many).extracting(one -> one.text().substring(23)).doesNotHaveDuplicates();
    }

    @Test
    void hashIsSha256OfTheWholeText() throws Exception {
        byte[] expected =
                MessageDigest.getInstance("SHA-256").digest(secret.text().getBytes(StandardCharsets.UTF_8));
        assertThat(secret.hash().bytes()).isEqualTo(expected);
        SecretHash stored = SecretHash.of(expected);
        assertThat(stored).isEqualTo(secret.hash()).hasSameHashCodeAs(secret.hash());
        expected[31] ^= 1;
        assertThat(stored).isEqualTo(secret.hash()).isNotEqualTo(SecretHash.of(expected));
        stored.bytes()[0] ^= 1;
        assertThat(stored).isEqualTo(secret.hash());
        assertThatIllegalArgumentException().isThrownBy(() -> SecretHash.of(new byte[31]));
    }

    @Test
    void tokenAcceptsItsSecretOnly() {
        AccessToken token = token(AccessTokenRequest.management("ann"));
        String text = secret.text();
        String similar = text.substring(0, text.length() - 1) + (text.endsWith("0") ? "1" : "0");
        assertThat(token.accepts(AccessTokenSecret.parse(text).orElseThrow())).isTrue();
        assertThat(token.accepts(AccessTokenSecret.parse(similar).orElseThrow()))
                .isFalse();
    }

    @Test
    void textsShowNeitherSecretNorHash() {
        AccessToken token = token(AccessTokenRequest.management("ann"));
        String shown = secret + " " + token + " " + secret.hash();
        assertThat(shown)
                .contains(secret.id().value())
                .doesNotContain(secret.text().substring(23))
                .doesNotContain(HexFormat.of().formatHex(secret.hash().bytes()))
                .contains("hash=SecretHash,");
    }

    @Test
    void tokenExpiresAtItsTimeByTheGivenClock() {
        AccessToken token = token(AccessTokenRequest.management("ann").expiringAt(AT));
        assertThat(token.expired(AT.minusNanos(1))).isFalse();
        assertThat(token.expired(AT)).isTrue();
        // A clock that was set back.
        assertThat(token.expired(AT.minusSeconds(1))).isFalse();
        assertThat(token(AccessTokenRequest.management("ann")).expired(Instant.MAX))
                .isFalse();
    }

    @Test
    void policiesAreSortedAndOnce() {
        assertThat(AccessTokenRequest.of("ann", List.of("b", "a", "b")).policies())
                .containsExactly("a", "b");
    }

    private static List<String> fields(AccessTokenRequest request) {
        return request.problems().stream().map(Problem::field).toList();
    }

    @Test
    void problemsNameEachField() {
        for (String name : List.of("a", "Ann Müller", "x".repeat(128), "\ud83d\ude00")) {
            assertThat(AccessTokenRequest.management(name).problems()).as(name).isEmpty();
        }
        for (String name : List.of("", " ", "x".repeat(129), "ü".repeat(65), "a\nb", "a\u202eb", "a\ud800")) {
            assertThat(fields(AccessTokenRequest.management(name))).as(name).containsExactly("name");
        }
        for (String policy : List.of("a", "A-b_c.9", "9", "x".repeat(128))) {
            assertThat(AccessTokenRequest.of("ann", List.of(policy)).problems())
                    .as(policy)
                    .isEmpty();
        }
        for (String policy : List.of("", ".a", "-a", "a/b", "../a", "a b", "ä", "x".repeat(129), "a\n", "a\ud800")) {
            assertThat(fields(AccessTokenRequest.of("ann", List.of(policy))))
                    .as(policy)
                    .containsExactly("policies");
        }
        List<String> many = IntStream.range(0, 65).mapToObj(i -> "p" + i).toList();
        assertThat(fields(AccessTokenRequest.of("ann", many))).containsExactly("policies");
        assertThat(AccessTokenRequest.of("ann", many.subList(1, 65)).problems()).isEmpty();
        assertThat(fields(AccessTokenRequest.of("ann", List.of()))).containsExactly("policies");
        AccessTokenRequest both = new AccessTokenRequest("ann", List.of("a"), true, Optional.empty());
        assertThat(fields(both)).containsExactly("policies");
        assertThatIllegalArgumentException().isThrownBy(() -> token(both)).withMessageContaining("management token");
    }
}
