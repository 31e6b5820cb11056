package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listings by plugin with all other filters, and watches of volumes that do not exist yet. */
class VolumesOfAPluginTest {
    private final StateStore store = StateStore.inMemory();
    private final Cluster cluster = new Cluster(store);

    @AfterEach
    void close() {
        store.close();
    }

    private void volume(String namespace, String id, String plugin) {
        cluster.accepted(new VolumeCommand.RegisterVolume(
                VolumeKey.of(namespace, id),
                Cluster.spec(plugin)
                        .externalVolumeId(ExternalVolumeId.of(namespace + id))
                        .build(),
                VolumeOrigin.REGISTERED,
                ProviderFacts.none(),
                Cluster.AT));
    }

    private List<String> list(String namespace, String prefix) {
        return store
                .snapshot()
                .volumes(VolumeQuery.builder()
                        .namespace(namespace.equals("*") ? null : Namespace.of(namespace))
                        .idPrefix(prefix)
                        .pluginId(PluginId.of("p"))
                        .build())
                .items()
                .stream()
                .map(Volume::key)
                .map(VolumeKey::toString)
                .toList();
    }

    @Test
    void pluginVolumesAreListedByNamespaceAndPrefix() {
        volume("a", "one-1", "p");
        volume("a", "two-1", "p");
        volume("b", "one-2", "p");
        volume("b", "two-2", "p");
        volume("b", "one-3", "q");
        assertThat(list("*", "")).containsExactly("a/one-1", "a/two-1", "b/one-2", "b/two-2");
        assertThat(list("*", "one")).containsExactly("a/one-1", "b/one-2");
        assertThat(list("b", "")).containsExactly("b/one-2", "b/two-2");
        assertThat(list("b", "two")).containsExactly("b/two-2");
        assertThat(list("b", "none")).isEmpty();
    }

    @Test
    void watchOfPluginVolumesIsNotifiedForAnyNamespace() throws Exception {
        volume("a", "one", "p");
        long index = store.snapshot().index();
        CompletableFuture<Long> reported = store.newerThan(StateScope.volumesOf(PluginId.of("p")), index);
        volume("b", "other", "q");
        assertThat(reported).isNotDone();
        volume("b", "two", "p");
        assertThat(reported.get(10, TimeUnit.SECONDS)).isGreaterThan(index);
    }

    /** A scheduler that found no volume, and watches only after the registration, is notified at once. */
    @Test
    void watchOfMissingVolumeIsNotifiedOfItsRegistration() throws Exception {
        long index = store.snapshot().index();
        StateScope scope = StateScope.volume(VolumeKey.of("a", "late"));
        CompletableFuture<Long> before = store.newerThan(scope, index);
        assertThat(before).isNotDone();
        volume("a", "late", "p");
        assertThat(before.get(10, TimeUnit.SECONDS)).isGreaterThan(index);
        assertThat(store.newerThan(scope, index).get(10, TimeUnit.SECONDS)).isGreaterThan(index);
        assertThat(store.newerThan(scope, store.snapshot().index())).isNotDone();
    }
}
