package io.csi4j.node;

import io.csi4j.core.spi.Timer;
import java.time.Clock;
import java.util.concurrent.Executor;

/** Ports and settings that the workers of all volumes share. */
record NodePorts(
        NodePaths paths,
        VolumeLedger ledger,
        MountTable table,
        PathProbe probe,
        DirectUnmount directUnmount,
        NodePlugins plugins,
        MountSecretsProvider secrets,
        Timer timer,
        Clock clock,
        Executor executor,
        AnswerTurns answers,
        RetryWait retry,
        Reporter reporter,
        NodeVolumeOptions options) {}
