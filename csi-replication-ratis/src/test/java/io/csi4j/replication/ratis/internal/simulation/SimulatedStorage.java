package io.csi4j.replication.ratis.internal.simulation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.ratis.server.RaftServerConfigKeys.Log.CorruptionPolicy;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.server.storage.RaftStorageDirectory;
import org.apache.ratis.server.storage.RaftStorageMetadataFile;

/** The directory in which the real state machine of a peer keeps its snapshots. */
record SimulatedStorage(Path root) implements RaftStorage, RaftStorageDirectory {
    static SimulatedStorage in(Path root) throws IOException {
        SimulatedStorage storage = new SimulatedStorage(root);
        Files.createDirectories(storage.snapshots());
        return storage;
    }

    Path snapshots() {
        return getStateMachineDir().toPath();
    }

    @Override
    public void initialize() {}

    @Override
    public RaftStorageDirectory getStorageDir() {
        return this;
    }

    @Override
    public RaftStorageMetadataFile getMetadataFile() {
        throw new UnsupportedOperationException("the state machine does not read it");
    }

    @Override
    public CorruptionPolicy getLogCorruptionPolicy() {
        return CorruptionPolicy.EXCEPTION;
    }

    @Override
    public File getRoot() {
        return root.toFile();
    }

    @Override
    public boolean isHealthy() {
        return true;
    }

    @Override
    public void close() {}
}
