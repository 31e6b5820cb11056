package io.csi4j.core.csi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What must never be shown: secrets, contexts and mount flags. */
class OpaqueValuesTest {
    private static final String CANARY = "canary-4711";

    record Kind(String name, Function<Map<String, String>, OpaqueMap> make) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Kind> kinds() {
        return Stream.of(
                new Kind("Secrets", Secrets::of),
                new Kind("VolumeContext", VolumeContext::of),
                new Kind("PublishContext", PublishContext::of));
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void toStringShowsOnlyNumberOfEntries(Kind kind) {
        OpaqueMap value = kind.make().apply(Map.of("key-" + CANARY, CANARY, "b", "c"));

        assertThat(value).hasToString(kind.name() + "[2 not shown]");
        assertThat(value.toString()).doesNotContain(CANARY);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void valuesAreEqualIfClassAndEntriesAreEqual(Kind kind) {
        OpaqueMap value = kind.make().apply(Map.of("a", "1"));

        assertThat(value)
                .isEqualTo(kind.make().apply(new HashMap<>(Map.of("a", "1"))))
                .hasSameHashCodeAs(kind.make().apply(Map.of("a", "1")))
                .isNotEqualTo(kind.make().apply(Map.of("a", "2")))
                .isNotEqualTo(kind.make().apply(Map.of()))
                .isNotEqualTo(Map.of("a", "1"));
        assertThat(kinds().map(other -> other.make().apply(Map.of("a", "1"))).filter(value::equals))
                .hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void entriesAreCopiedInOrderAndCannotBeModified(Kind kind) {
        Map<String, String> source = new LinkedHashMap<>();
        source.put("z", "1");
        source.put("a", "2");
        source.put("m", "3");
        OpaqueMap value = kind.make().apply(source);
        source.clear();

        assertThat(value.asMap().keySet()).containsExactly("z", "a", "m");
        assertThatThrownBy(() -> value.asMap().put("k", "v")).isInstanceOf(UnsupportedOperationException.class);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void nullEntryIsRejectedAndMessageHidesOtherEntries(Kind kind) {
        Map<String, String> source = new HashMap<>();
        source.put(CANARY, null);

        assertThatThrownBy(() -> kind.make().apply(source))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining(kind.name())
                .hasMessageNotContaining(CANARY);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void emptyValueHasNoEntries(Kind kind) {
        assertThat(kind.make().apply(Map.of()).isEmpty()).isTrue();
        assertThat(kind.make().apply(Map.of("a", "")).isEmpty()).isFalse();
    }

    @Test
    void mountFlagsAreHiddenByToStringAndReturnedInOrderByAsList() {
        List<String> source = new ArrayList<>(List.of("password=" + CANARY, "noatime"));
        MountFlags flags = MountFlags.of(source);
        source.clear();

        assertThat(flags).hasToString("MountFlags[2 not shown]");
        assertThat(flags.asList()).containsExactly("password=" + CANARY, "noatime");
        assertThat(flags)
                .isEqualTo(MountFlags.of("password=" + CANARY, "noatime"))
                .hasSameHashCodeAs(MountFlags.of("password=" + CANARY, "noatime"))
                .isEqualTo(MountFlags.of("noatime", "password=" + CANARY))
                .hasSameHashCodeAs(MountFlags.of("noatime", "password=" + CANARY))
                .isEqualTo(MountFlags.of("noatime", "noatime", "password=" + CANARY))
                .isNotEqualTo(MountFlags.of("noatime"));
        assertThat(MountFlags.of(List.of())).isEqualTo(MountFlags.empty()).matches(MountFlags::isEmpty);
    }

    @Test
    void toStringOfObjectThatContainsOpaqueValueHidesOpaqueEntries() {
        VolumeCapability capability = VolumeCapability.mount(
                VolumeAccessMode.SINGLE_NODE_WRITER,
                MountVolume.builder()
                        .fsType("ext4")
                        .mountFlags(MountFlags.of(CANARY))
                        .build());
        ExternalVolume volume = ExternalVolume.builder(ExternalVolumeId.of("vol-1"))
                .volumeContext(VolumeContext.of(Map.of("k", CANARY)))
                .build();

        assertThat(capability.toString()).contains("ext4").doesNotContain(CANARY);
        assertThat(volume.toString()).contains("vol-1").doesNotContain(CANARY);
    }
}
