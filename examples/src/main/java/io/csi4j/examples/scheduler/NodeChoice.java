package io.csi4j.examples.scheduler;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.placement.NodeAnswer;
import io.csi4j.core.state.StateReader;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The node for a new allocation.
 *
 * @param reserves whether all volumes can be claimed there now, and no other claim waits for one of them
 */
record NodeChoice(NodeId node, boolean reserves) {

    /**
     * Chooses the node with the fewest allocations on which all volumes can be claimed now. If there is none, chooses
     * the node with the fewest allocations on which the volumes can be claimed later.
     *
     * @param load the number of allocations of each node
     * @param drained the nodes that get no new allocation
     * @param othersWait whether other claims wait for one of the volumes, so that the allocation has to queue behind
     *     them
     * @return the choice; empty if no node suits now
     */
    static Optional<NodeChoice> choose(
            StateReader state,
            List<ClaimRequest> requests,
            Map<NodeId, Integer> load,
            Set<NodeId> drained,
            boolean othersWait) {
        // DOC
        List<NodeAnswer> answers = FeasibleNodes.in(state).onAll(JobFile.NAMESPACE, requests).stream()
                .filter(answer -> ready(state, answer.nodeId()) && !drained.contains(answer.nodeId()))
                .toList();
        Optional<NodeChoice> free = leastLoaded(answers.stream().filter(NodeAnswer::admitted), load)
                .map(node -> new NodeChoice(node, !othersWait && !requests.isEmpty()));
        return free.or(() ->
                leastLoaded(answers.stream().filter(NodeChoice::waits), load).map(node -> new NodeChoice(node, false)));
        // DOC
    }

    private static boolean ready(StateReader state, NodeId nodeId) {
        return state.node(nodeId)
                .filter(node -> node.status() == NodeStatus.READY)
                .isPresent();
    }

    private static boolean waits(NodeAnswer answer) {
        return !answer.never() && answer.missing().isEmpty();
    }

    private static Optional<NodeId> leastLoaded(Stream<NodeAnswer> answers, Map<NodeId, Integer> load) {
        return answers.map(NodeAnswer::nodeId).min(Comparator.comparingInt(node -> load.getOrDefault(node, 0)));
    }
}
