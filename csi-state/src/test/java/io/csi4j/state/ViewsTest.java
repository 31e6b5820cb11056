package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.WritableState;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Views that join several rows are computed for the reader, are immutable, and cannot be written to the state. */
class ViewsTest {
    private static final VolumeKey V = Cluster.key("v");
    private static final PluginId PLUGIN = PluginId.of("p");

    private final StateStore store = StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable());

    @BeforeEach
    void aVolumeInUse() {
        new Cluster(store)
                .node("n", "p")
                .volume("v", "p")
                .volume("w", "p")
                .allocation("a", "n")
                .claim("v", "a");
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void readsDoNotChangeStateOrItsEncoding() {
        StateReader root = store.snapshot();
        byte[] bytes = StateEncodingTest.encode(store);
        VolumeView first = VolumeView.of(root, V).orElseThrow();
        for (int i = 0; i < 1_000; i++) {
            VolumeView view = VolumeView.of(store.snapshot(), V).orElseThrow();
            // Each view is computed again from the same rows, so nothing accumulates in them.
            assertThat(view.volume()).isSameAs(first.volume());
            assertThat(view.claims()).isEqualTo(first.claims());
            assertThat(view.plugin()).hasToString(first.plugin().toString());
            assertThat(store.snapshot().volumesOn(NodeId.of("n"))).hasSize(1);
        }
        assertThat(store.snapshot()).isSameAs(root);
        assertThat(StateEncodingTest.encode(store)).isEqualTo(bytes);
    }

    @Test
    void returnedCollectionsAreUnmodifiable() {
        byte[] before = StateEncodingTest.encode(store);
        StateReader first = store.snapshot();
        Volume volume = first.volume(V).orElseThrow();
        // The changed copy is another value, which cannot be written to the state.
        assertThat(volume.toBuilder().claims(Claims.empty()).build()).isNotEqualTo(volume);
        VolumeView view = VolumeView.of(first, V).orElseThrow();
        List<Volume> items = first.volumes(VolumeQuery.all()).items();
        List<PluginInstance> instances = first.plugin(PLUGIN).instances();
        List<AllocationId> allocations = first.plugin(PLUGIN).allocations();
        for (List<?> list : List.of(
                items, instances, allocations, view.claims(), view.plugin().instances())) {
            assertThat(list).isNotEmpty();
            assertThatThrownBy(() -> list.remove(0)).isInstanceOf(UnsupportedOperationException.class);
        }
        for (Iterable<?> rows : walks(first)) {
            Iterator<?> walk = rows.iterator();
            walk.next();
            assertThatThrownBy(walk::remove).isInstanceOf(UnsupportedOperationException.class);
        }
        assertThat(store.snapshot()).isSameAs(first);
        assertThat(StateEncodingTest.encode(store)).isEqualTo(before);
    }

    /** Reads the view before, between and after changes; each result belongs to its snapshot. */
    @Test
    void pluginViewShowsStateOfItsSnapshot() {
        StateReader one = store.snapshot();
        assertThat(one.plugin(PLUGIN).instances()).hasSize(1);
        new Cluster(store).node("m", "p");
        StateReader two = store.snapshot();
        assertThat(two.plugin(PLUGIN).instances()).hasSize(2);
        InstanceKey first = two.plugin(PLUGIN).instances().get(0).key();
        InstanceKey second = two.plugin(PLUGIN).instances().get(1).key();
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(10))) {
            assertThat(transaction.plugin(PLUGIN).instances()).hasSize(2);
            transaction.removeInstance(first);
            assertThat(transaction.plugin(PLUGIN).instances()).hasSize(1);
            transaction.removeInstance(second);
            assertThat(transaction.plugin(PLUGIN).instances()).isEmpty();
            assertThat(store.snapshot().plugin(PLUGIN).instances()).hasSize(2);
        }
        assertThat(store.snapshot().plugin(PLUGIN).instances()).hasSize(2);
        assertThat(one.plugin(PLUGIN).instances()).hasSize(1);
    }

    /** Writers use only rows and ids. A view is not a row, so joined values are never stored. */
    @Test
    void commandsAndWritesDoNotComputePluginViews() {
        List<Type> taken = new ArrayList<>();
        for (Class<?> writer : List.of(WritableState.class, WriteTransaction.class)) {
            for (Method method : writer.getMethods()) {
                taken.addAll(List.of(method.getGenericParameterTypes()));
            }
        }
        for (Class<?> command : commands()) {
            for (RecordComponent part : command.getRecordComponents()) {
                taken.add(part.getGenericType());
            }
        }
        assertThat(taken).contains(Volume.class, VolumeKey.class, PluginInstance.class);
        for (Class<?> view : List.of(VolumeView.class, VolumeView.ClaimView.class, PluginView.class, ListPage.class)) {
            assertThat(taken).noneMatch(type -> type.getTypeName().contains(view.getName()));
        }
    }

    private static List<Class<?>> commands() {
        List<Class<?>> commands = new ArrayList<>();
        for (Class<?> group : Command.class.getPermittedSubclasses()) {
            Stream.of(group == Batch.class ? new Class<?>[] {group} : group.getPermittedSubclasses())
                    .forEach(commands::add);
        }
        return commands;
    }

    /** An iterator ends with NoSuchElementException, and a second iteration returns the same rows. */
    @Test
    void iterationStopsAtEndAndCanBeRestarted() {
        for (Iterable<?> rows : walks(store.snapshot())) {
            Iterator<?> walk = rows.iterator();
            List<Object> found = new ArrayList<>();
            while (walk.hasNext()) {
                found.add(walk.next());
            }
            assertThat(found).isNotEmpty().doesNotContainNull();
            assertThatThrownBy(walk::next).isInstanceOf(NoSuchElementException.class);
            assertThat(walk.hasNext()).isFalse();
            assertThat(List.<Object>copyOf(list(rows))).isEqualTo(found);
        }
        assertThat(store.snapshot().volumesOn(NodeId.of("nowhere"))).isEmpty();
    }

    private static List<Object> list(Iterable<?> rows) {
        List<Object> list = new ArrayList<>();
        rows.forEach(list::add);
        return list;
    }

    private static List<Iterable<?>> walks(StateReader state) {
        NodeId node = NodeId.of("n");
        return List.of(
                state.volumesOf(PLUGIN),
                state.volumesOn(node),
                state.volumesOn(node, PLUGIN),
                state.volumesClaimedBy(AllocationId.of("a")),
                state.nodes(),
                state.allocations(),
                state.allocationsOn(node),
                state.instances(),
                state.instancesOn(node),
                state.instancesOn(node, PLUGIN),
                state.instancesOf(PLUGIN),
                state.facts());
    }
}
