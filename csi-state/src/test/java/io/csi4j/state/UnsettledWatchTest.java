package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.state.ObservableState.Subscription;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.VolumeListener;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Notifications about changed unsettled volumes. The tests run the executor step by step. */
class UnsettledWatchTest {
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final StateStore store = StateStore.create(StateStoreOptions.builder()
            .watchExecutor(tasks::add)
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build());
    private final Cluster cluster = new Cluster(store);
    private final List<String> reported = new ArrayList<>();

    private final VolumeListener listener = new VolumeListener() {
        @Override
        public void changed(VolumeKey key, long index) {
            reported.add(key.volumeId() + " " + index);
        }

        @Override
        public void anyChanged(long index) {
            reported.add("any " + index);
        }
    };

    @AfterEach
    void close() {
        store.close();
    }

    private void claimed(String... volumes) {
        cluster.node("n1", "p1");
        for (String volume : volumes) {
            cluster.volume(volume, "p1");
            cluster.allocation("of-" + volume, "n1");
            cluster.claim(volume, "of-" + volume);
        }
    }

    private long end(String volume) {
        cluster.accepted(ended(volume));
        return store.snapshot().index();
    }

    private static Command ended(String volume) {
        return Cluster.allocation("of-" + volume, "n1", AllocationStatus.ENDED);
    }

    private List<String> reported() {
        while (!tasks.isEmpty()) {
            tasks.remove().run();
        }
        List<String> all = List.copyOf(reported);
        reported.clear();
        return all;
    }

    @Test
    void listenerGetsVolumeAndIndexOfEachChange() {
        claimed("va", "vb");
        Subscription subscription = store.subscribeUnsettled(store.snapshot().index(), listener);
        assertThat(reported()).isEmpty();
        long first = end("va");
        assertThat(reported()).containsExactly("va " + first);
        long second = end("vb");
        assertThat(reported()).containsExactly("vb " + second);
        cluster.volume("settled", "p1");
        assertThat(reported())
                .as("a volume without remaining work is not reported")
                .isEmpty();
        subscription.close();
        assertThat(store.watchCount()).isZero();
    }

    @Test
    void slowListenerGetsAllPendingChangesInOneTask() {
        claimed("va", "vb", "vc");
        store.subscribeUnsettled(store.snapshot().index(), listener);
        long first = end("va");
        cluster.accepted(new Batch(List.of(ended("vb"), ended("vc")), Cluster.AT));
        long second = store.snapshot().index();
        assertThat(tasks).hasSize(1);
        assertThat(reported()).containsExactly("va " + first, "vb " + second, "vc " + second);
    }

    /** A listener that never returns needs limited memory, and is notified that any volume may have changed. */
    @Test
    void tooManyPendingChangesAreReplacedByOneAllChangedNotification() {
        Notifier later = Notifier.of(tasks::add);
        VolumeSubscription subscription = new VolumeSubscription(new WatchRegistry(0), 0, listener, later);
        long index = 0;
        for (int piled = 0; piled <= VolumeSubscription.MAX_CHANGES; piled += 4_000) {
            Touched touched = new Touched();
            for (int i = 0; i < 4_000; i++) {
                touched.add(StateScope.Table.UNSETTLED_VOLUMES, Cluster.key("v" + (piled + i)));
            }
            subscription.changed(++index, touched);
        }
        assertThat(tasks).hasSize(1);
        assertThat(reported()).containsExactly("any " + index);
        Touched one = new Touched();
        one.add(StateScope.Table.UNSETTLED_VOLUMES, Cluster.key("v"));
        subscription.changed(index + 1, one);
        assertThat(reported()).as("later changes are reported by volume").containsExactly("v " + (index + 1));
    }

    @Test
    void subscriptionFromForgottenIndexGetsAllChangedNotification() {
        claimed("va");
        end("va");
        store.subscribeUnsettled(0, listener);
        assertThat(reported()).containsExactly("any " + store.snapshot().index());
    }

    @Test
    void restoreSendsAllChangedNotificationBeforeLaterSingleChanges() throws Exception {
        claimed("va", "vb");
        store.subscribeUnsettled(store.snapshot().index(), listener);
        end("va");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        store.encode(bytes);
        store.restore(new ByteArrayInputStream(bytes.toByteArray()));
        // Changes before the notification that any volume may have changed are part of that notification.
        assertThat(reported()).containsExactly("any " + store.snapshot().index());
        long later = end("vb");
        assertThat(reported()).containsExactly("vb " + later);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failingListenerStaysSubscribed(boolean error) {
        claimed("va", "vb");
        store.subscribeUnsettled(store.snapshot().index(), new VolumeListener() {
            @Override
            public void changed(VolumeKey key, long index) {
                reported.add(key.volumeId().value());
                if (error) {
                    throw new AssertionError("a listener that fails");
                }
                throw new IllegalStateException("a listener that fails");
            }

            @Override
            public void anyChanged(long index) {
                throw new AssertionError("unexpected report without a volume");
            }
        });
        end("va");
        end("vb");
        assertThat(reported()).containsExactly("va", "vb");
    }

    @Test
    void closedSubscriptionGetsNoNotification() {
        claimed("va");
        Subscription subscription = store.subscribeUnsettled(store.snapshot().index(), listener);
        end("va");
        subscription.close();
        subscription.close();
        assertThat(reported()).isEmpty();
    }
}
