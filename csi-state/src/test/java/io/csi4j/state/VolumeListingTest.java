package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.state.internal.tree.Seeds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** All combinations of filters, and page tokens whose row was removed. */
class VolumeListingTest {
    private final StateStore store = StateStore.inMemory();
    private final Cluster cluster = new Cluster(store);

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void pageTokenStaysValidAfterItsVolumeIsRemoved() {
        for (int i = 0; i < 10; i++) {
            cluster.volume("vol-0" + i, "p");
        }
        for (VolumeQuery base : List.of(
                VolumeQuery.all(),
                VolumeQuery.builder().idPrefix("vol-").build(),
                VolumeQuery.builder().namespace(Namespace.of("default")).build(),
                VolumeQuery.builder().pluginId(PluginId.of("p")).build())) {
            ListPage<Volume, VolumeKey> first =
                    store.snapshot().volumes(base.toBuilder().limit(4).build());
            assertThat(ids(first)).containsExactly("vol-00", "vol-01", "vol-02", "vol-03");
            VolumeKey token = first.next().orElseThrow();
            cluster.accepted(new VolumeCommand.DeregisterVolume(token, false, Cluster.AT));
            cluster.accepted(new VolumeCommand.DeregisterVolume(Cluster.key("vol-04"), false, Cluster.AT));
            ListPage<Volume, VolumeKey> second = store.snapshot()
                    .volumes(base.toBuilder().limit(4).after(token).build());
            assertThat(ids(second)).containsExactly("vol-05", "vol-06", "vol-07", "vol-08");
            assertThat(second.next()).isPresent();
            cluster.volume(token.volumeId().value(), "p").volume("vol-04", "p");
        }
    }

    @Test
    void lastPageHasNoNextPageToken() {
        cluster.volume("a", "p").volume("b", "p");
        ListPage<Volume, VolumeKey> exact =
                store.snapshot().volumes(VolumeQuery.builder().limit(2).build());
        assertThat(exact.items()).hasSize(2);
        assertThat(exact.next()).isEmpty();
        ListPage<Volume, VolumeKey> none = store.snapshot()
                .volumes(VolumeQuery.builder().idPrefix("c").limit(2).build());
        assertThat(none.items()).isEmpty();
        assertThat(none.next()).isEmpty();
        ListPage<Volume, VolumeKey> beyond = store.snapshot()
                .volumes(VolumeQuery.builder()
                        .idPrefix("a")
                        .after(Cluster.key("b"))
                        .build());
        assertThat(beyond.items()).isEmpty();
    }

    @Test
    void pagesAreCorrectForAllFiltersAndTokens() {
        NaiveState oracle = new NaiveState();
        List<String> namespaces = List.of("a", "default", "default2", "z");
        List<String> ids = List.of("v", "v-1", "v-10", "v-2", "w", "\u00e9-1");
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(30))) {
            int number = 0;
            for (String namespace : namespaces) {
                for (String id : ids) {
                    number++;
                    Volume volume = Volume.builder(
                                    VolumeKey.of(namespace, id),
                                    Cluster.spec("p" + number % 3)
                                            .externalVolumeId(ExternalVolumeId.of(namespace + id))
                                            .build(),
                                    1,
                                    Cluster.AT)
                            .claims(number % 4 == 0 ? Claims.empty() : Claims.of(List.of(claim("n" + number % 2))))
                            .phase(List.of(VolumePhase.values()).get(number * 7 % 5 % 3))
                            .build();
                    transaction.putVolume(volume);
                    oracle.putVolume(volume);
                }
            }
            transaction.commit(1);
        }
        for (int limit : new int[] {1, 2, 3, 7, 100}) {
            SameAnswers.checkListings(
                    store.snapshot(),
                    oracle,
                    new SameAnswers.Lists(
                            Arrays.asList(
                                    null,
                                    Namespace.of("a"),
                                    Namespace.of("default"),
                                    Namespace.of("default2"),
                                    Namespace.of("none")),
                            List.of("", "v", "v-", "v-1", "v-10", "x", "\u00e9"),
                            Arrays.asList(null, PluginId.of("p0"), PluginId.of("p1"), PluginId.of("none")),
                            Arrays.asList(null, NodeId.of("n0"), NodeId.of("n1"), NodeId.of("none")),
                            limit));
        }
        for (VolumePhase phase : VolumePhase.values()) {
            List<VolumeQuery> queries = List.of(
                    VolumeQuery.all(),
                    VolumeQuery.builder().idPrefix("v-").build(),
                    VolumeQuery.builder().namespace(Namespace.of("default")).build(),
                    VolumeQuery.builder().pluginId(PluginId.of("p1")).build(),
                    VolumeQuery.builder().nodeId(NodeId.of("n1")).build());
            for (VolumeQuery base : queries) {
                for (int limit : new int[] {1, 2, 3, 100}) {
                    checkPages(base.toBuilder().phase(phase).limit(limit).build(), oracle);
                }
            }
        }
        for (String namespace : List.of("a", "b", "default", "zz")) {
            for (String id : List.of("a", "v", "v-1", "v-11", "zz")) {
                for (String prefix : List.of("", "v", "w")) {
                    VolumeQuery query = VolumeQuery.builder()
                            .idPrefix(prefix)
                            .after(VolumeKey.of(namespace, id))
                            .limit(3)
                            .build();
                    assertThat(store.snapshot().volumes(query)).isEqualTo(oracle.volumes(query));
                }
            }
        }
    }

    private void checkPages(VolumeQuery query, NaiveState oracle) {
        ListPage<Volume, VolumeKey> page = store.snapshot().volumes(query);
        assertThat(page).as("%s", query).isEqualTo(oracle.volumes(query));
        assertThat(page.items())
                .allMatch(volume -> volume.phase() == query.phase().orElseThrow());
        page.next().ifPresent(last -> checkPages(query.toBuilder().after(last).build(), oracle));
    }

    /**
     * Rows, including the row of the token, are added and removed between the pages. Each page equals that of the model, and a row that
     * exists all the time is listed exactly once.
     */
    @Test
    void pagingDuringChangesNeitherSkipsNorRepeatsVolumes() {
        SplittableRandom random = Seeds.next("VolumeListingTest");
        NaiveState oracle = new NaiveState();
        for (int walk = 0; walk < 300; walk++) {
            for (int i = 0; i < 40; i++) {
                put(oracle, random, true);
            }
            VolumeQuery query = VolumeQuery.builder()
                    .namespace(random.nextBoolean() ? null : Namespace.of("s" + random.nextInt(3)))
                    .idPrefix(List.of("", "", "v1", "v", "x").get(random.nextInt(5)))
                    .pluginId(random.nextBoolean() ? null : PluginId.of("p" + random.nextInt(3)))
                    .nodeId(random.nextBoolean() ? null : NodeId.of("n" + random.nextInt(2)))
                    .limit(random.nextInt(1, 6))
                    .build();
            Set<VolumeKey> always = new TreeSet<>();
            oracle.volumes(query.toBuilder().limit(1_000).build()).items().forEach(volume -> always.add(volume.key()));
            List<VolumeKey> found = new ArrayList<>();
            VolumeQuery at = query;
            while (true) {
                ListPage<Volume, VolumeKey> page = store.snapshot().volumes(at);
                assertThat(page).as("%s", at).isEqualTo(oracle.volumes(at));
                page.items().forEach(volume -> found.add(volume.key()));
                if (page.next().isEmpty()) {
                    break;
                }
                VolumeKey token = page.next().get();
                if (random.nextBoolean()) {
                    always.remove(token);
                    remove(oracle, token);
                }
                for (int i = random.nextInt(4); i > 0; i--) {
                    always.remove(put(oracle, random, random.nextBoolean()));
                }
                at = query.toBuilder().after(token).build();
            }
            assertThat(found).isSorted().doesNotHaveDuplicates();
            // Rows that were removed later may have been listed; rows that existed all the time must have been listed.
            assertThat(found).containsAll(always);
        }
    }

    private VolumeKey put(NaiveState oracle, SplittableRandom random, boolean there) {
        VolumeKey key = VolumeKey.of("s" + random.nextInt(3), "v" + random.nextInt(30));
        if (!there) {
            remove(oracle, key);
            return key;
        }
        Volume volume = Volume.builder(
                        key,
                        Cluster.spec("p" + random.nextInt(3))
                                .externalVolumeId(ExternalVolumeId.of(key.toString()))
                                .build(),
                        1,
                        Cluster.AT)
                .claims(random.nextBoolean() ? Claims.empty() : Claims.of(List.of(claim("n" + random.nextInt(2)))))
                .build();
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(30))) {
            transaction.putVolume(volume);
            transaction.commit(transaction.index() + 1);
        }
        oracle.putVolume(volume);
        return key;
    }

    private void remove(NaiveState oracle, VolumeKey key) {
        try (WriteTransaction transaction = store.begin(Duration.ofSeconds(30))) {
            transaction.removeVolume(key);
            transaction.commit(transaction.index() + 1);
        }
        oracle.removeVolume(key);
    }

    private static Claim claim(String node) {
        return Claim.builder(AllocationId.of("a"), NodeId.of(node), ClaimMode.READ, Cluster.SHARED)
                .build();
    }

    private static List<String> ids(ListPage<Volume, VolumeKey> page) {
        List<String> ids = new ArrayList<>();
        page.items().forEach(volume -> ids.add(volume.key().volumeId().value()));
        return ids;
    }
}
