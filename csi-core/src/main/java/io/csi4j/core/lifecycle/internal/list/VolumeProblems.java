package io.csi4j.core.lifecycle.internal.list;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.CallFailure;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.internal.call.OneLine;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.reconcile.NodeReports;
import io.csi4j.core.lifecycle.internal.reconcile.ReportedHealth;
import io.csi4j.core.lifecycle.internal.reconcile.ReportedHealth.Reported;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Finds the problems of volumes that this server knows, without a call. */
public final class VolumeProblems {
    /** The number of problems of one volume that a list shows. */
    private static final int MOST = 5;

    private final Operations operations;
    private final ReportedHealth reported;
    private final NodeReports nodes;

    public VolumeProblems(Operations operations, ReportedHealth reported, NodeReports nodes) {
        this.operations = operations;
        this.reported = reported;
        this.nodes = nodes;
    }

    /** The health of one volume, and the causes if it is abnormal. */
    record OfVolume(HealthVerdict verdict, List<String> problems) {}

    /** Reads the reports of the nodes once, for all volumes of a page. */
    Known now() {
        return new Known(nodes.problems());
    }

    /** The problems that are known at one time. */
    final class Known {
        private final Map<VolumeKey, List<String>> onNodes;

        private Known(Map<VolumeKey, List<String>> onNodes) {
            this.onNodes = onNodes;
        }

        OfVolume of(Volume volume) {
            List<Reported> reports = reported.of(volume);
            List<String> problems = new ArrayList<>();
            reports.stream()
                    .filter(report -> report.health().verdict() == HealthVerdict.ABNORMAL)
                    .forEach(report -> problems.add(text(report)));
            volume.verification()
                    .filter(known -> volume.isLost())
                    .flatMap(Verification::remedy)
                    .ifPresent(remedy -> problems.add(
                            "the storage provider does not have it since the state was restored: " + remedy));
            problems.addAll(failures(volume));
            problems.addAll(onNodes.getOrDefault(volume.key(), List.of()));
            if (problems.isEmpty()) {
                return new OfVolume(reports.isEmpty() ? HealthVerdict.NOT_REPORTED : HealthVerdict.HEALTHY, List.of());
            }
            return new OfVolume(
                    HealthVerdict.ABNORMAL, problems.stream().limit(MOST).toList());
        }
    }

    private static String text(Reported report) {
        String problems = report.health().entries().stream()
                .map(entry -> entry.reason() + (entry.message().isEmpty() ? "" : ": " + entry.message()))
                .collect(Collectors.joining(", "));
        return OneLine.of("the plugin reported"
                + report.nodeId().map(node -> " on node " + node).orElse("") + " at " + report.at() + ": " + problems);
    }

    /**
     * Returns the calls that fail: in the plugin's own words if this server made them, otherwise as stored. A volume
     * without remaining work has none; the failure of a refused request does not count.
     */
    private List<String> failures(Volume volume) {
        if (!volume.unsettled()) {
            return List.of();
        }
        List<CallFailure> own = operations.calls().failures().of(volume.key());
        if (!own.isEmpty()) {
            return own.stream()
                    .map(failure -> failure.rpc().csiName()
                            + failure.nodeId().map(node -> " for node " + node).orElse("") + " fails since "
                            + failure.since() + ": " + failure.text())
                    .toList();
        }
        List<Retry> stored = new ArrayList<>();
        stored.add(volume.retry());
        volume.expansion().ifPresent(expansion -> stored.add(expansion.retry()));
        volume.modification().ifPresent(modification -> stored.add(modification.retry()));
        volume.verification().ifPresent(known -> stored.add(known.retry()));
        for (Attachment attachment : volume.attachments()) {
            stored.add(attachment.retry());
        }
        for (Claim claim : volume.claims()) {
            stored.add(claim.retry());
        }
        return stored.stream()
                .filter(retry -> !retry.refused())
                .flatMap(
                        retry -> retry
                                .lastError()
                                .map(error -> "a call has failed " + retry.attempts() + " times: " + error)
                                .stream())
                .distinct()
                .toList();
    }
}
