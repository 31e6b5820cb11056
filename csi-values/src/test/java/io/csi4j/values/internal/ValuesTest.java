package io.csi4j.values.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.proto.values.v1.ValuesProto;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The values that several formats have in common. */
class ValuesTest {
    @Test
    void entriesKeepTheOrderOfTheMap() {
        Map<String, String> map = new LinkedHashMap<>();
        map.put("zone", "z");
        map.put("attr", "");
        assertThat(Values.entries(Values.entries(map)).entrySet()).containsExactlyElementsOf(map.entrySet());
    }

    @Test
    void keyThatIsThereTwiceIsRefused() {
        ValuesProto.Entry entry = ValuesProto.Entry.newBuilder().setKey("k").build();
        assertThatThrownBy(() -> Values.entries(List.of(entry, entry)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a key is there twice in a map");
    }

    @ParameterizedTest
    @CsvSource({"9223372036854775807, 0", "9223372036854775807, 1000000000", "-9223372036854775808, -1"})
    void timeOutOfRangeIsRefused(long seconds, int nanos) {
        ValuesProto.Time time = ValuesProto.Time.newBuilder()
                .setSeconds(seconds)
                .setNanos(nanos)
                .build();
        assertThatThrownBy(() -> Values.time(time))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a time is out of range: " + seconds + " s and " + nanos + " ns");
    }

    @Test
    void timeIsReadAsWritten() {
        Instant time = Instant.ofEpochSecond(-3, 999_999_999);
        assertThat(Values.time(Values.time(time))).isEqualTo(time);
    }

    @Test
    void mountFlagsAreWrittenInOrder() {
        MountOptions options = new MountOptions("xfs", MountFlags.of("b", "a"), "1000");
        assertThat(Values.mountOptions(options).getMountFlagsList()).containsExactly("b", "a");
        assertThat(Values.mountOptions(Values.mountOptions(options))).isEqualTo(options);
        OwnershipOptions strict = new OwnershipOptions(GroupChangePolicy.ALWAYS, OptionalLong.of(7), true);
        assertThat(Values.ownership(Values.ownership(strict))).isEqualTo(strict);
        MountOptions labelled = options.withLabel(new SecurityLabel("system_u:object_r:container_file_t:s0:c1,c2"));
        assertThat(Values.mountOptions(Values.mountOptions(labelled)))
                .isEqualTo(labelled)
                .isNotEqualTo(options);
        assertThat(Values.mountOptions(ValuesProto.MountOptions.getDefaultInstance()))
                .isSameAs(MountOptions.none());
    }

    @Test
    void ownershipSettingsAreReadAsWritten() {
        for (OwnershipSettings settings : List.of(
                OwnershipSettings.ofDefaults(),
                new OwnershipSettings(true, List.of()),
                new OwnershipSettings(false, List.of(".snapshot", "a b", "\u00e4")))) {
            assertThat(Values.ownershipSettings(Values.ownershipSettings(settings)))
                    .isEqualTo(settings);
        }
        assertThat(Values.ownershipSettings(ValuesProto.OwnershipSettings.getDefaultInstance()))
                .isEqualTo(OwnershipSettings.ofDefaults());
    }

    @Test
    void unknownCapabilitiesAreKeptAndNumbersAreSorted() {
        Capabilities known = Capabilities.unknown()
                .withController(CapabilitySet.fromNumbers(ControllerCapability.class, List.of(4_242, 2, 1)));
        AtomicReference<ValuesProto.Capabilities> written = new AtomicReference<>();
        Values.capabilities(known, kind -> {}, kind -> {}, written::set, kind -> {});
        assertThat(written.get().getNumbersList()).containsExactly(1, 2, 4_242);
        assertThat(Values.capabilities(null, null, written.get(), null)).isEqualTo(known);
    }

    @Test
    void capabilitiesAreReadAsWritten() {
        Capabilities all = Capabilities.unknown()
                .withServices(PluginService.CONTROLLER_SERVICE)
                .withVolumeExpansion(VolumeExpansion.OFFLINE)
                .withController()
                .withNode(NodeCapability.EXPAND_VOLUME);
        for (Capabilities known : List.of(all, Capabilities.unknown())) {
            Map<String, ValuesProto.Capabilities> written = new HashMap<>();
            Values.capabilities(
                    known,
                    kind -> written.put("services", kind),
                    kind -> written.put("expansion", kind),
                    kind -> written.put("controller", kind),
                    kind -> written.put("node", kind));
            assertThat(Values.capabilities(
                            written.get("services"),
                            written.get("expansion"),
                            written.get("controller"),
                            written.get("node")))
                    .isEqualTo(known);
        }
    }
}
