package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.QuotaKey;
import io.csi4j.core.volume.QuotaUse;
import io.csi4j.core.volume.QuotaUse.Amount;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each part of a row that a quota counts changes the index, also if nothing else of the row changes. */
class CountedUseTest {
    private static final VolumeKey KEY = VolumeKey.of("default", "v");
    private static final QuotaKey ALL = QuotaKey.of(KEY.namespace());

    private final StateStore store = StateStore.inMemory();

    @AfterEach
    void close() {
        store.close();
    }

    private QuotaUse changed(UnaryOperator<Volume.Builder> change) {
        Volume before = store.snapshot()
                .volume(KEY)
                .orElseGet(() -> Volume.builder(
                                KEY, VolumeSpec.builder(PluginId.of("p")).restore(), 1, Cluster.AT)
                        .build());
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(9))) {
            transaction.putVolume(change.apply(before.toBuilder()).build());
            transaction.commit(transaction.index() + 1);
        }
        return store.snapshot().quotaUse(ALL);
    }

    @Test
    void eachCountedPartIsInTheIndex() {
        assertThat(changed(volume -> volume).ready()).isEqualTo(new Amount(1, 0));
        assertThat(changed(volume -> volume.expansion(Expansion.to(CapacityRange.atLeast(5))))
                        .bytes())
                .isEqualTo(5);
        assertThat(changed(volume -> volume.unsettledTargets(List.of(7L, 9L))).bytes())
                .isEqualTo(9);
        assertThat(changed(volume -> volume.unsettledTargets(List.of(7L))).bytes())
                .isEqualTo(7);
        assertThat(changed(volume -> volume.unsettledTargets(List.of())).bytes())
                .isEqualTo(5);
        assertThat(changed(volume -> volume.phase(VolumePhase.DELETING)).deleting())
                .isEqualTo(new Amount(1, 5));
        assertThat(changed(volume -> volume.expansion(null)).bytes()).isZero();
    }
}
