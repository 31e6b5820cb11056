package io.csi4j.state;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

/** A store and threads for concurrent tasks of a test; both are closed after each test. */
abstract class StoreFixture {
    final StateStore store;
    final Cluster cluster;
    final ExecutorService threads = Executors.newCachedThreadPool();

    StoreFixture() {
        this(StateEncodingTest.store(ClearTextSecretsCipher.secretsStayReadable()));
    }

    StoreFixture(StateStore store) {
        this.store = store;
        this.cluster = new Cluster(store);
    }

    @AfterEach
    final void close() {
        threads.shutdownNow();
        store.close();
    }
}
