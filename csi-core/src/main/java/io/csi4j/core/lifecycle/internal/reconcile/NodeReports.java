package io.csi4j.core.lifecycle.internal.reconcile;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.NodeQuery;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.EnginePorts;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Paging;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AgentConnection;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Asks the agents of all nodes what they have of volumes, and remembers the last answers. Only the leader asks at
 * intervals; the answers are not part of the state.
 */
public final class NodeReports {
    private static final System.Logger LOG = System.getLogger(NodeReports.class.getName());
    /** The number of nodes that are asked at the same time. */
    private static final int AT_ONCE = 32;
    /** The time after which a node without an answer counts as silent. */
    private static final Duration LIMIT = Duration.ofSeconds(10);
    /** The longest wait of an operator for a node that has not answered the question before. */
    private static final Duration SHORT_LIMIT = Duration.ofSeconds(2);

    /** The age up to which a report about unfinished work is shown without another question. */
    private static final Duration RECENT = Duration.ofSeconds(1);

    private static final String CALLBACK = "NodeGateway.report";

    private final Operations operations;
    private final Consumer<VolumeKey> tryNow;
    private final CauseLog causes;
    private final Timeouts timeouts;
    private final Map<NodeId, Contact> contacts = new ConcurrentHashMap<>();

    /** The last question to each node that has no answer yet. */
    private final Map<NodeId, Asked> asked = new ConcurrentHashMap<>();

    /** Whether this server keeps answers: only while it leads, because nothing renews them elsewhere. */
    private volatile boolean kept;

    /**
     * Creates an object without answers.
     *
     * @param tryNow makes the leader try the remaining work of a volume at once
     */
    public NodeReports(Operations operations, Consumer<VolumeKey> tryNow) {
        this.operations = operations;
        this.tryNow = tryNow;
        this.causes = new CauseLog(LOG, operations.ports().clock());
        this.timeouts =
                new Timeouts(operations.ports().timer(), operations.ports().executor());
    }

    /**
     * A question to a node.
     *
     * @param index the index of the state at the question
     * @param nanos the elapsed time of the question, in nanoseconds
     */
    private record Question(long index, long nanos) {}

    /** A question that has no answer yet. */
    private record Asked(long index, CompletableFuture<Contact> answer) {}

    /** The answers of one node; see {@link NodeView}. Silence is measured on elapsed time, in nanoseconds. */
    private record Contact(
            @Nullable Instant last,
            @Nullable Long silentSince,
            String problem,
            @Nullable NodeReport report,
            Question question) {
        private static final Contact NONE = new Contact(null, null, "", null, new Question(0, 0));

        Contact answered(Question asked, Instant at, NodeReport answer) {
            return new Contact(at, null, "", answer, asked);
        }

        Contact failed(Question asked, String why) {
            return new Contact(last, silentSince == null ? asked.nanos() : silentSince, why, report, asked);
        }

        /** The gateway or the agent cannot report, which says nothing about the node. */
        Contact unsupported(Question asked, String why) {
            return new Contact(null, null, why, null, asked);
        }

        Optional<NodeVolume> volume(Volume volume) {
            return Optional.ofNullable(report).stream()
                    .flatMap(known -> known.volumes().stream())
                    .filter(reported -> isOf(reported, volume))
                    .findFirst();
        }

        NodeView of(Node node, long nanos, Optional<AgentConnection> connection) {
            return new NodeView(
                    node,
                    Optional.ofNullable(last),
                    Optional.ofNullable(silentSince).map(since -> Duration.ofNanos(nanos - since)),
                    problem,
                    Optional.ofNullable(report),
                    connection);
        }
    }

    /** Keeps the answers from now on. */
    void start() {
        kept = true;
    }

    /** Drops the answers, which are no longer renewed. */
    void stop() {
        kept = false;
        contacts.clear();
    }

    /** Asks all nodes that may answer, some at a time. The future completes when each has answered, or has not in time. */
    public CompletableFuture<Void> askAll() {
        Queue<NodeId> nodes = new ConcurrentLinkedQueue<>();
        Set<NodeId> known = ConcurrentHashMap.newKeySet();
        operations.state().nodes().forEach(node -> {
            known.add(node.id());
            if (!node.status().lost()) {
                nodes.add(node.id());
            }
        });
        contacts.keySet().retainAll(known);
        List<CompletableFuture<Void>> lines = new ArrayList<>();
        int atOnce = Math.min(AT_ONCE, nodes.size());
        for (int i = 0; i < atOnce; i++) {
            lines.add(askNext(nodes));
        }
        return CompletableFuture.allOf(lines.toArray(CompletableFuture<?>[]::new));
    }

    private CompletableFuture<Void> askNext(Queue<NodeId> nodes) {
        NodeId next = nodes.poll();
        if (next == null) {
            return CompletableFuture.completedFuture(null);
        }
        // Continues in the executor, so that many immediate answers need no deep stack.
        return ask(next, LIMIT)
                .thenComposeAsync(asked -> askNext(nodes), operations.ports().executor());
    }

    private CompletableFuture<Contact> ask(NodeId nodeId, Duration limit) {
        EnginePorts ports = operations.ports();
        Question question =
                new Question(operations.state().index(), ports.timer().nanoTime());
        CompletableFuture<Contact> contact = ask(nodeId, limit, question);
        Asked open = new Asked(question.index(), contact);
        asked.put(nodeId, open);
        var unused = contact.whenComplete((answer, failure) -> asked.remove(nodeId, open));
        return contact;
    }

    private CompletableFuture<Contact> ask(NodeId nodeId, Duration limit, Question question) {
        EnginePorts ports = operations.ports();
        CompletableFuture<NodeReport> called =
                ports.host().call(CALLBACK, () -> ports.gateway().report(nodeId));
        CompletableFuture<NodeReport> answer =
                called.thenApply(report -> ports.host().required(CALLBACK, report));
        return timeouts.limit(answer, limit, () -> {
                    ports.host().givenUp(called, limit);
                    return new TimeoutException("no answer within " + Durations.text(limit));
                })
                .handle((report, failure) -> kept(nodeId, before -> {
                    if (failure == null) {
                        logAnswer(nodeId);
                        return before.answered(question, operations.now(), report);
                    }
                    Throwable cause = Futures.unwrap(failure);
                    if (cause instanceof CsiCallException call && call.code() == StatusCode.UNIMPLEMENTED) {
                        return before.unsupported(question, text(cause));
                    }
                    Long silentSince = before.silentSince();
                    if (silentSince != null) {
                        Duration silence =
                                Duration.ofNanos(operations.ports().timer().nanoTime() - silentSince);
                        logSilence(nodeId, silence, text(cause));
                    }
                    return before.failed(question, text(cause));
                }));
    }

    /** Updates what is known of a node. A server that does not lead forgets it again. */
    private Contact kept(NodeId nodeId, UnaryOperator<Contact> next) {
        Contact now = contacts.compute(nodeId, (id, known) -> next.apply(known == null ? Contact.NONE : known));
        if (!kept) {
            contacts.remove(nodeId);
        }
        return now;
    }

    private void logAnswer(NodeId nodeId) {
        if (causes.over(nodeId.value())) {
            LOG.log(Level.INFO, () -> "The agent of node " + nodeId + " answers again");
        }
    }

    /** The status of a node that is not READY has a line of its own. */
    private void logSilence(NodeId nodeId, Duration silence, String why) {
        boolean ready = operations
                .state()
                .node(nodeId)
                .filter(node -> node.status() == NodeStatus.READY)
                .isPresent();
        if (ready) {
            causes.warn(
                    nodeId.value(),
                    "The agent of node " + nodeId + " has not answered for " + silence.toSeconds()
                            + " seconds, but the host reports the node as READY: " + why);
        }
    }

    private static String text(Throwable failure) {
        return failure instanceof CsiException || failure instanceof TimeoutException
                ? String.valueOf(failure.getMessage())
                : "it failed with " + failure.getClass().getName();
    }

    /**
     * Returns a page of the nodes of the state with the last reports that this server has. The leader first asks nodes of
     * which the state has newer knowledge, for a short time; if there are many of them, only some.
     */
    public CompletableFuture<ListPage<NodeView, NodeId>> fresh(Caller caller, NodeQuery query) {
        ListPage<NodeView, NodeId> page = list(caller, query);
        StateReader state = operations.state();
        return asksAgain(page.items().stream()
                        .map(NodeView::node)
                        .filter(node -> isOutdated(node, newest(state, node)))
                        .map(Node::id))
                .map(all -> all.thenApply(done -> list(caller, query)))
                .orElseGet(() -> CompletableFuture.completedFuture(page));
    }

    /** Asks nodes again, for a short time and only some; empty if there are none. */
    private Optional<CompletableFuture<Void>> asksAgain(Stream<NodeId> nodes) {
        List<CompletableFuture<Contact>> answers =
                nodes.limit(AT_ONCE).map(this::askAgain).toList();
        return answers.isEmpty()
                ? Optional.empty()
                : Optional.of(CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new)));
    }

    /** Asks a node, or waits for the answer to a question that many readers have at the same time. */
    private CompletableFuture<Contact> askAgain(NodeId nodeId) {
        Asked open = asked.get(nodeId);
        return open != null && open.index() >= operations.state().index() ? open.answer() : ask(nodeId, SHORT_LIMIT);
    }

    /** Returns the index of the newest change of a node, of its volumes, and of the volumes that it reported. */
    private long newest(StateReader state, Node node) {
        Set<VolumeKey> volumes = new HashSet<>();
        state.volumesOn(node.id()).forEach(volumes::add);
        NodeReport report = contacts.getOrDefault(node.id(), Contact.NONE).report();
        if (report != null) {
            report.volumes().forEach(volume -> volumes.add(volume.volume()));
        }
        long newest = node.modifyIndex();
        for (VolumeKey key : volumes) {
            newest = Math.max(newest, state.volume(key).map(Volume::modifyIndex).orElse(0L));
        }
        return newest;
    }

    /**
     * Returns whether the state has something newer about a node than the node's last report. A node that has not answered
     * since it is silent is not asked before its status changes.
     *
     * @param newest the index of the newest change that concerns the node
     */
    private boolean isOutdated(Node node, long newest) {
        Contact contact = contacts.getOrDefault(node.id(), Contact.NONE);
        long known = contact.silentSince() == null ? newest : node.modifyIndex();
        return asksAtIntervals()
                && node.status() == NodeStatus.READY
                && contact.question().index() < known;
    }

    private boolean asksAtIntervals() {
        return kept && !operations.ports().options().nodeReportInterval().isZero();
    }

    /**
     * Returns whether a report is about a volume of the state, and not about a former one that had its name: after a restore
     * a node may still have that one.
     */
    private static boolean isOf(NodeVolume reported, Volume volume) {
        return reported.volume().equals(volume.key())
                && (reported.pluginId().isEmpty() || reported.pluginId().get().equals(volume.pluginId()))
                && (reported.externalVolumeId().isEmpty()
                        || reported.externalVolumeId().equals(volume.externalVolumeId()));
    }

    /**
     * Returns what the nodes reported last of a volume that the caller may read. The leader first asks those again whose
     * report is older than the last change of the volume or of its allocations, or that have work on it, for a short time.
     */
    public CompletableFuture<List<VolumeStatus.OnNode>> fresh(Volume volume) {
        StateReader state = operations.state();
        Set<NodeId> nodes = new TreeSet<>(volume.claims().nodeIds());
        volume.attachments().forEach(attachment -> nodes.add(attachment.nodeId()));
        contacts.forEach((nodeId, contact) -> {
            if (contact.volume(volume).isPresent()) {
                nodes.add(nodeId);
            }
        });
        return asksAgain(nodes.stream()
                        .filter(nodeId -> state.node(nodeId)
                                .filter(node ->
                                        isOutdated(node, newest(state, volume, node)) || isBusy(node, state, volume))
                                .isPresent()))
                .map(all -> all.thenApply(done -> of(volume)))
                .orElseGet(() -> CompletableFuture.completedFuture(of(volume)));
    }

    private static long newest(StateReader state, Volume volume, Node node) {
        long newest = Math.max(volume.modifyIndex(), node.modifyIndex());
        for (Claim claim : volume.claims().on(node.id())) {
            newest = Math.max(
                    newest,
                    state.allocation(claim.allocationId())
                            .map(Allocation::modifyIndex)
                            .orElse(0L));
        }
        return newest;
    }

    /** Returns whether a node works on a volume, by its last report or because an allocation ends, and the report is not of now. */
    private boolean isBusy(Node node, StateReader state, Volume volume) {
        Contact contact = contacts.getOrDefault(node.id(), Contact.NONE);
        boolean works = contact.volume(volume).filter(NodeVolume::isUnfinished).isPresent();
        for (Claim claim : volume.claims().on(node.id())) {
            works |= state.allocation(claim.allocationId())
                    .filter(allocation -> allocation.status() == AllocationStatus.STOPPING || allocation.ended())
                    .isPresent();
        }
        long age = operations.ports().timer().nanoTime() - contact.question().nanos();
        return works
                && asksAtIntervals()
                && node.status() == NodeStatus.READY
                && contact.silentSince() == null
                && age > RECENT.toNanos();
    }

    /** Returns a page of the nodes of the state with the last reports that this server has. */
    ListPage<NodeView, NodeId> list(Caller caller, NodeQuery query) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        StateReader state = operations.state();
        return Paging.page(
                state.nodes(),
                query.limit(),
                Node::id,
                node -> query.after()
                                        .filter(after -> node.id().compareTo(after) <= 0)
                                        .isEmpty()
                                && query.matches(state, node)
                        ? Optional.of(view(node))
                        : Optional.empty());
    }

    /** Returns the problems of volumes that the nodes reported last. */
    public Map<VolumeKey, List<String>> problems() {
        Map<VolumeKey, List<String>> problems = new HashMap<>();
        StateReader state = operations.state();
        new TreeMap<>(contacts).forEach((nodeId, contact) -> {
            NodeReport report = contact.report();
            Instant at = contact.last();
            boolean lost =
                    state.node(nodeId).filter(node -> !node.status().lost()).isEmpty();
            if (report != null && at != null && !lost) {
                String reported = "node " + nodeId + " reported"
                        + (contact.silentSince() == null ? "" : " at " + at + ", before it fell silent") + ": ";
                report.volumes()
                        .forEach(volume -> Stream.concat(
                                        Stream.of(volume.stagingProblem(), volume.lastError()),
                                        volume.uses().stream().map(NodeVolume.Use::problem))
                                .filter(text -> !text.isEmpty())
                                .distinct()
                                .forEach(text -> problems.computeIfAbsent(volume.volume(), key -> new ArrayList<>())
                                        .add(reported + text)));
            }
        });
        return problems;
    }

    /** Returns what the nodes reported last of a volume. The caller has to be allowed to read the volume. */
    private List<VolumeStatus.OnNode> of(Volume volume) {
        List<VolumeStatus.OnNode> found = new ArrayList<>();
        contacts.forEach((nodeId, contact) -> {
            NodeReport report = contact.report();
            Instant at = contact.last();
            if (report != null && at != null) {
                report.volumes().stream()
                        .filter(reported -> isOf(reported, volume))
                        .forEach(reported -> found.add(new VolumeStatus.OnNode(nodeId, at, reported)));
            }
        });
        found.sort(Comparator.comparing(VolumeStatus.OnNode::nodeId));
        return found;
    }

    private NodeView view(Node node) {
        return view(node, contacts.getOrDefault(node.id(), Contact.NONE));
    }

    private NodeView view(Node node, Contact contact) {
        return contact.of(node, operations.ports().timer().nanoTime(), connection(node.id()));
    }

    private Optional<AgentConnection> connection(NodeId nodeId) {
        HostCallbacks host = operations.ports().host();
        try {
            return host.watched(
                    "NodeGateway.agentConnection",
                    () -> operations.ports().gateway().agentConnection(nodeId));
        } catch (Exception | Error e) {
            host.failed("NodeGateway.agentConnection", e);
            return Optional.empty();
        }
    }

    /** Asks one node now. Waits less if the node has not answered the question before. */
    public CompletableFuture<NodeView> get(Caller caller, NodeId nodeId) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        Node node = node(nodeId);
        boolean silent = node.status() != NodeStatus.READY
                || contacts.getOrDefault(nodeId, Contact.NONE).silentSince() != null;
        return ask(nodeId, silent ? SHORT_LIMIT : LIMIT).thenApply(contact -> view(node, contact));
    }

    private Node node(NodeId nodeId) {
        return operations
                .state()
                .node(nodeId)
                .orElseThrow(() -> new RejectedException(new Rejection.NodeNotFound(nodeId)));
    }

    /** Sends an operator's order to forget an unfinished unmount to a node. */
    public CompletableFuture<Void> forgetUnmount(
            Caller caller, VolumeKey volume, NodeId nodeId, AllocationId allocationId, String reason) {
        operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
        if (reason.isBlank()) {
            throw new CsiRequestException(
                    "forgetUnmount",
                    List.of(new Problem("reason", "is blank", "say why the plugin cannot finish the unmount")));
        }
        node(nodeId);
        String operator = caller.principal().getName();
        NodeForget order = new NodeForget(volume, allocationId, operator, reason);
        LOG.log(
                Level.INFO,
                () -> "Operator " + operator + " orders node " + nodeId + " to finish the unmount of volume " + volume
                        + " for allocation " + allocationId + " without its plugin");
        return operations
                .ports()
                .host()
                .call("NodeGateway.forget", () -> operations.ports().gateway().forget(nodeId, order))
                .thenAccept(done -> tryNow.accept(volume));
    }
}
