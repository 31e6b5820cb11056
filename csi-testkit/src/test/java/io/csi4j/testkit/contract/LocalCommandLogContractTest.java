package io.csi4j.testkit.contract;

import io.csi4j.core.spi.CommandLog;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;

/** The log in memory keeps the contract. */
class LocalCommandLogContractTest implements CommandLogContract {
    @Override
    public CommandLog open() {
        return new LocalCommandLog(StateStore.inMemory());
    }

    @Override
    public void close(CommandLog log) {
        ((StateStore) log.state()).close();
    }
}
