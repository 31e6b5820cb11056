package io.csi4j.client.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.Timestamp;
import io.csi4j.proto.csi.v1.BlockMetadata;
import io.csi4j.proto.csi.v1.GetMetadataDeltaResponse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The smallest values that each check refuses, and the largest that it accepts. */
class AnswerCheckTest {
    private static void refused(ThrowingCallable check, String problem) {
        assertThatThrownBy(check).isInstanceOf(UnusableAnswerException.class).hasMessage(problem);
    }

    @Test
    void requiredTextIsNotEmpty() {
        assertThat(AnswerCheck.given("name", "n")).isEqualTo("n");
        refused(() -> AnswerCheck.given("name", ""), "name is empty");
    }

    @Test
    void textOfThousandCharactersIsNotCut() {
        assertThat(AnswerCheck.text("x".repeat(1_000))).isEqualTo("x".repeat(1_000));
        assertThat(AnswerCheck.text("x".repeat(1_001)))
                .isEqualTo("x".repeat(1_000) + "... (cut; it had 1001 characters)");
    }

    @Test
    void numberIsNotNegative() {
        assertThat(AnswerCheck.notNegative("used", 0)).isZero();
        assertThat(AnswerCheck.notNegative("used", 7)).isEqualTo(7);
        refused(() -> AnswerCheck.notNegative("used", -1), "used is -1, below 0");
    }

    @Test
    void expandedVolumeHasRequiredSizeOrUnknownSize() {
        assertThat(AnswerCheck.grown("size", 0, 10)).isZero();
        assertThat(AnswerCheck.grown("size", 10, 10)).isEqualTo(10);
        assertThat(AnswerCheck.grown("size", 11, 10)).isEqualTo(11);
        refused(() -> AnswerCheck.grown("size", 9, 10), "size is 9, below the 10 required");
        refused(() -> AnswerCheck.grown("size", 1, 10), "size is 1, below the 10 required");
        refused(() -> AnswerCheck.grown("size", -1, 10), "size is -1, below 0");
    }

    @Test
    void keysOfTopologyDifferInMoreThanCase() {
        Map<String, String> segments = Map.of("zone", "z", "rack", "r");
        assertThat(AnswerCheck.segments(segments)).isSameAs(segments);
        refused(() -> AnswerCheck.segments(Map.of("", "z")), "segments has an empty key");
        refused(() -> AnswerCheck.segments(Map.of("zone", "z", "ZONE", "z")), "segments has a key twice but for case");
    }

    @Test
    void timeIsInRangeOfInstant() {
        assertThat(AnswerCheck.instant(
                        "at", Timestamp.newBuilder().setSeconds(3).setNanos(4).build()))
                .isEqualTo(Instant.ofEpochSecond(3, 4));
        for (long seconds : new long[] {Instant.MAX.getEpochSecond() + 1, Long.MAX_VALUE}) {
            Timestamp wrong = Timestamp.newBuilder()
                    .setSeconds(seconds)
                    .setNanos(1_000_000_000)
                    .build();
            refused(() -> AnswerCheck.instant("at", wrong), "at is no time: " + seconds + " s and 1000000000 ns");
        }
    }

    @Test
    void nestedProblemHasPathOfItsField() {
        assertThat(AnswerCheck.message("volume", true, "v", String::length)).isEqualTo(1);
        refused(() -> AnswerCheck.message("volume", false, "v", String::length), "volume is missing");
        refused(
                () -> AnswerCheck.message("volume", true, "", id -> AnswerCheck.given("volumeId", id)),
                "volume.volumeId is empty");
        assertThat(AnswerCheck.optional("volume", true, "v", String::length)).contains(1);
        assertThat(AnswerCheck.optional("volume", false, "v", String::length)).isEmpty();
        assertThat(AnswerCheck.each("ids", List.of("a", "bb"), String::length)).containsExactly(1, 2);
        refused(
                () -> AnswerCheck.each("ids", List.of("a", ""), id -> AnswerCheck.given("id", id)),
                "ids[1].id is empty");
    }

    @Test
    void createdVolumeIsKeptWithPathOfField() {
        UnusableAnswerException inner = new UnusableAnswerException("context", "is large", Optional.of("vol-1"));
        assertThat(inner.inside("volume")).hasMessage("volume.context is large");
        assertThat(inner.inside("volume").createdVolume()).contains("vol-1");
        assertThat(new UnusableAnswerException("context", "is large").createdVolume())
                .isEmpty();
    }

    @Test
    void rangeEndsWithinLargestVolume() {
        GetMetadataDeltaResponse.Builder response = GetMetadataDeltaResponse.newBuilder()
                .addBlockMetadata(BlockMetadata.newBuilder()
                        .setByteOffset(Long.MAX_VALUE - 5)
                        .setSizeBytes(5));
        assertThat(MetadataCodec.read(response.build()).blockMetadata())
                .singleElement()
                .satisfies(range -> {
                    assertThat(range.byteOffset()).isEqualTo(Long.MAX_VALUE - 5);
                    assertThat(range.sizeBytes()).isEqualTo(5);
                });
        response.getBlockMetadataBuilder(0).setSizeBytes(6);
        refused(
                () -> MetadataCodec.read(response.build()),
                "blockMetadata[0].sizeBytes is 6, which ends beyond any volume from the offset "
                        + (Long.MAX_VALUE - 5));
        response.setBlockMetadata(0, BlockMetadata.getDefaultInstance());
        assertThat(MetadataCodec.read(response.build()).blockMetadata()).hasSize(1);
    }
}
