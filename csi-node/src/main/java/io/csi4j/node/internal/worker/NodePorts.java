package io.csi4j.node.internal.worker;

import io.csi4j.core.internal.concurrent.Backoff;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.DirectUnmount;
import io.csi4j.node.MountSecretsProvider;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodePlugins;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.node.PathProbe;
import io.csi4j.node.PublishTokenProvider;
import io.csi4j.node.VolumeOwnership;
import io.csi4j.node.internal.ledger.MachineIds;
import io.csi4j.node.internal.ledger.VolumeLedger;
import io.csi4j.node.internal.mount.NodePaths;
import java.time.Clock;
import java.util.concurrent.Executor;

/** The host's services and the settings that the workers of all volumes use. */
public record NodePorts(
        NodePaths paths,
        VolumeLedger ledger,
        MachineIds machineIds,
        MountTable table,
        PathProbe probe,
        DirectUnmount directUnmount,
        VolumeOwnership ownership,
        NodePlugins plugins,
        MountSecretsProvider secrets,
        PublishTokenProvider tokens,
        RepublishLimits republish,
        Timer timer,
        Clock clock,
        Executor executor,
        Backoff backoff,
        Reporter reporter,
        HostCallbacks host,
        NodeVolumeOptions options) {}
