package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.SecretsCipher;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.codec.VolumeToProto;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that may hold credentials are in an encoded state only in encrypted form. */
class ConfidentialValuesTest {
    static final String CANARY = "canary-4711";
    private static final VolumeKey KEY = Cluster.key("v");
    private static final Instant AT = Instant.parse("2026-11-01T12:00:00Z");
    private static final RequestedCapability SHARED =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);

    @Test
    void encodedStateContainsNoConfidentialValue() {
        try (StateStore store = with(cipher(1), full("v"), full("w"))) {
            byte[] bytes = StateEncodingTest.encode(store);
            assertThat(text(bytes, StandardCharsets.ISO_8859_1)).contains("ext4", "vol-group", "k1");
            assertThat(leaks(bytes)).isEmpty();
        }
    }

    @Test
    void clearTextCipherLeavesConfidentialValuesReadable() {
        try (StateStore store = with(ClearTextSecretsCipher.secretsStayReadable(), full("v"))) {
            // Checks that the search finds canaries in clear text, because the test above would otherwise prove
            // nothing.
            String text = text(StateEncodingTest.encode(store), StandardCharsets.UTF_8);
            for (int i = 1; i <= 16; i++) {
                assertThat(text).contains(canary(i));
            }
        }
    }

    @Test
    void restoredVolumeEqualsEncodedVolume() {
        try (StateStore store = with(cipher(1), full("v"), full("w"), plain("x"));
                StateStore other = StateEncodingTest.store(cipher(1))) {
            byte[] bytes = StateEncodingTest.encode(store);
            StateEncodingTest.restore(other, bytes);
            SameAnswers.check(other.snapshot(), store.snapshot());
            Volume volume = other.snapshot().volume(KEY).orElseThrow();
            assertThat(volume).isEqualTo(full("v"));
            assertThat(volume.spec().secrets().asMap())
                    .isEqualTo(full("v").spec().secrets().asMap());
            assertThat(StateEncodingTest.encode(other)).isEqualTo(bytes);
        }
    }

    @Test
    void replicasEncodeStateToSameBytes() {
        try (StateStore one = with(cipher(1), full("v"));
                StateStore two = with(cipher(1), full("v"))) {
            assertThat(StateEncodingTest.encode(two)).isEqualTo(StateEncodingTest.encode(one));
        }
    }

    @Test
    void equalSecretsOfTwoVolumesAreEncryptedDifferently() {
        VolumeToProto writer = new VolumeToProto(cipher(1));
        assertThat(writer.volume(full("v")).getConfidential().getHidden())
                .isNotEqualTo(writer.volume(full("w")).getConfidential().getHidden());
    }

    @Test
    void restoreWithWrongKeyFailsAndRunningStateIsUnchanged() {
        try (StateStore store = with(cipher(1), full("v"));
                StateStore wrong = with(cipher(2), plain("mine"));
                StateStore none = with(null, plain("mine"))) {
            byte[] bytes = StateEncodingTest.encode(store);
            for (StateStore running : List.of(wrong, none)) {
                StateReader before = running.snapshot();
                assertThatThrownBy(() -> StateEncodingTest.restore(running, bytes))
                        .isInstanceOf(CsiException.class)
                        .isNotInstanceOf(StateFormatException.class)
                        .hasMessageContaining("default/v")
                        .hasMessageContaining("key k1")
                        .hasMessageNotContaining(CANARY);
                assertThat(running.snapshot()).isSameAs(before);
            }
        }
    }

    @Test
    void valuesEncryptedWithOldKeyAreReadAfterRotation() {
        SecretsCipher both = AesGcmSecretsCipher.builder()
                .oldKey("k1", StateEncodingTest.key(1))
                .currentKey("k2", StateEncodingTest.key(2))
                .build();
        SecretsCipher onlyNew = StateEncodingTest.cipher("k2", StateEncodingTest.key(2));
        try (StateStore old = with(cipher(1), full("v"));
                StateStore rotated = StateEncodingTest.store(both);
                StateStore last = StateEncodingTest.store(onlyNew)) {
            StateEncodingTest.restore(rotated, StateEncodingTest.encode(old));
            StateEncodingTest.restore(last, StateEncodingTest.encode(rotated));
            assertThat(last.snapshot().volume(KEY)).contains(full("v"));
        }
    }

    @Test
    void volumeWithoutConfidentialValuesIsReadWithoutCipher() {
        try (StateStore store = with(new Refusing(), plain("v"));
                StateStore other = StateEncodingTest.store(new Refusing());
                StateStore none = StateEncodingTest.store(null)) {
            byte[] bytes = StateEncodingTest.encode(store);
            StateEncodingTest.restore(other, bytes);
            StateEncodingTest.restore(none, bytes);
            assertThat(other.snapshot().volume(KEY)).contains(plain("v"));
            assertThat(none.snapshot().volume(KEY)).contains(plain("v"));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "secrets",
                "parameters",
                "mutableParameters",
                "volumeContext",
                "factsContext",
                "mountFlags",
                "claimFlags",
                "attachmentFlags",
                "publishContext",
                "modification"
            })
    void volumeWithOneConfidentialValueIsHiddenAndReadWithItsCipher(String which) {
        Volume volume = oneValue(which);
        try (StateStore store = with(cipher(1), volume);
                StateStore other = StateEncodingTest.store(cipher(1))) {
            byte[] bytes = StateEncodingTest.encode(store);
            assertThat(leaks(bytes)).isEmpty();
            StateEncodingTest.restore(other, bytes);
            assertThat(other.snapshot().volume(KEY)).contains(volume);
        }
    }

    @Test
    void confidentialValueOfMissingClaimOrAttachmentIsRefused() {
        SecretsCipher clear = ClearTextSecretsCipher.secretsStayReadable();
        StateProto.Volume row = new VolumeToProto(clear).volume(full("v"));
        List<UnaryOperator<StateProto.Volume.Builder>> losses = List.of(
                StateProto.Volume.Builder::clearClaims,
                StateProto.Volume.Builder::clearAttachments,
                StateProto.Volume.Builder::clearModification,
                StateProto.Volume.Builder::clearFacts);
        for (UnaryOperator<StateProto.Volume.Builder> loss : losses) {
            byte[] bytes = StateEncodingTest.encode(
                    FormatRepair.PRESENT, List.of(loss.apply(row.toBuilder()).build()));
            try (StateStore store = StateEncodingTest.store(clear)) {
                assertThatThrownBy(() -> StateEncodingTest.restore(store, bytes))
                        .isInstanceOf(StateFormatException.class)
                        .hasMessageContaining("belongs to a part that the volume does not have")
                        .hasMessageNotContaining(CANARY);
            }
        }
    }

    /** Returns the encodings in which the bytes contain the canary. */
    static List<String> leaks(byte[] bytes) {
        List<String> found = new ArrayList<>();
        for (Charset charset :
                List.of(StandardCharsets.ISO_8859_1, StandardCharsets.UTF_16BE, StandardCharsets.UTF_16LE)) {
            byte[] canary = CANARY.getBytes(charset);
            String all = text(bytes, StandardCharsets.ISO_8859_1);
            if (all.contains(text(canary, StandardCharsets.ISO_8859_1))) {
                found.add(charset.name());
            }
            String hex = HexFormat.of().formatHex(canary);
            if (all.toLowerCase(Locale.ROOT).contains(hex)) {
                found.add("hex of " + charset.name());
            }
            // Searches all three Base64 forms, because the form depends on the position in a group of three bytes; the
            // first and the last characters also depend on neighbouring bytes.
            for (int lead = 0; lead < 3; lead++) {
                byte[] moved = new byte[lead + canary.length];
                System.arraycopy(canary, 0, moved, lead, canary.length);
                String encoded = Base64.getEncoder().withoutPadding().encodeToString(moved);
                if (all.contains(encoded.substring(4, encoded.length() - 2))) {
                    found.add("base64 of " + charset.name());
                }
            }
        }
        return found;
    }

    private static String text(byte[] bytes, Charset charset) {
        return new String(bytes, charset);
    }

    private static String canary(int number) {
        return CANARY + "-" + number + ".";
    }

    private static SecretsCipher cipher(int seed) {
        return StateEncodingTest.cipher("k1", StateEncodingTest.key(seed));
    }

    private static StateStore with(SecretsCipher cipher, Volume... volumes) {
        StateStore store = StateEncodingTest.store(cipher);
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(10))) {
            for (Volume volume : volumes) {
                transaction.putVolume(volume);
            }
            transaction.commit(42);
        }
        return store;
    }

    private static Volume.Builder volume(String id, UnaryOperator<VolumeSpec.Builder> more) {
        VolumeSpec.Builder spec = VolumeSpec.builder(PluginId.of("p")).requestedCapabilities(List.of(SHARED));
        return Volume.builder(Cluster.key(id), more.apply(spec).build(), 7, AT);
    }

    private static Volume plain(String id) {
        return volume(id, spec -> spec.mountOptions(new MountOptions("ext4", MountFlags.empty(), "vol-group")))
                .claims(Claims.of(List.of(claim(MountOptions.of("ext4")))))
                .attachments(Attachments.of(List.of(attachment().build())))
                .build();
    }

    private static Volume full(String id) {
        return volume(
                        id,
                        spec -> spec.secrets(Secrets.of(Map.of(canary(1), canary(2))))
                                .parameters(Map.of(canary(3), canary(4)))
                                .mutableParameters(Map.of(canary(5), canary(6)))
                                .volumeContext(VolumeContext.of(Map.of(canary(7), canary(8))))
                                .mountOptions(new MountOptions("ext4", MountFlags.of(canary(9)), "vol-group")))
                .facts(ProviderFacts.builder()
                        .volumeContext(VolumeContext.of(Map.of(canary(10), canary(11))))
                        .build())
                .claims(Claims.of(List.of(claim(MountOptions.of("xfs", canary(12))))))
                .attachments(Attachments.of(List.of(attachment()
                        .mountOptions(MountOptions.of("", canary(13)))
                        .publishContext(PublishContext.of(Map.of(canary(14), canary(15))))
                        .build())))
                .modification(modification())
                .build();
    }

    private static Volume oneValue(String which) {
        Map<String, String> value = Map.of("key", canary(1));
        MountOptions flags = MountOptions.of("", canary(1));
        return switch (which) {
            case "secrets" ->
                volume("v", spec -> spec.secrets(Secrets.of(value))).build();
            case "parameters" -> volume("v", spec -> spec.parameters(value)).build();
            case "mutableParameters" ->
                volume("v", spec -> spec.mutableParameters(value)).build();
            case "volumeContext" ->
                volume("v", spec -> spec.volumeContext(VolumeContext.of(value))).build();
            case "mountFlags" -> volume("v", spec -> spec.mountOptions(flags)).build();
            case "factsContext" ->
                volume("v", spec -> spec)
                        .facts(ProviderFacts.builder()
                                .volumeContext(VolumeContext.of(value))
                                .build())
                        .build();
            case "claimFlags" ->
                volume("v", spec -> spec)
                        .claims(Claims.of(List.of(claim(flags))))
                        .build();
            case "attachmentFlags" ->
                volume("v", spec -> spec)
                        .attachments(Attachments.of(
                                List.of(attachment().mountOptions(flags).build())))
                        .build();
            case "publishContext" ->
                volume("v", spec -> spec)
                        .attachments(Attachments.of(List.of(attachment()
                                .publishContext(PublishContext.of(value))
                                .build())))
                        .build();
            case "modification" ->
                volume("v", spec -> spec).modification(modification()).build();
            default -> throw new IllegalArgumentException(which);
        };
    }

    private static Claim claim(MountOptions options) {
        return Claim.builder(AllocationId.of("a"), NodeId.of("n"), ClaimMode.WRITE, SHARED)
                .mountOptions(options)
                .createIndex(7)
                .build();
    }

    private static Attachment.Builder attachment() {
        return Attachment.builder(NodeId.of("n"), SHARED).createIndex(7);
    }

    private static Modification modification() {
        return Modification.restore(
                Map.of(canary(16), new Modification.RequestedChange(canary(16), 7, 6)), 9, Retry.none());
    }

    /** A cipher that fails at each use. */
    private static final class Refusing implements SecretsCipher {
        @Override
        public String keyId() {
            throw new AssertionError("the cipher was called");
        }

        @Override
        public byte[] encrypt(byte[] clear, byte[] field) {
            throw new AssertionError("the cipher was called");
        }

        @Override
        public byte[] decrypt(String keyId, byte[] hidden, byte[] field) {
            throw new AssertionError("the cipher was called");
        }
    }
}
