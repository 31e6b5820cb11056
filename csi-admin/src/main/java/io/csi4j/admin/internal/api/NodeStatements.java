package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.lifecycle.NodeOverride;
import io.csi4j.core.lifecycle.NodeStatement;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/** The effect of an operator's statement, as a preview and as a result. */
final class NodeStatements {
    private static final int SHOWN_BYTES = 8;

    private static final Shape<NodeOverride.ClaimOnNode> CLAIM = Shape.<NodeOverride.ClaimOnNode>of(
                    "OverriddenClaim", "A claim that a statement ends, or that gets another external id.")
            .text(
                    "namespace",
                    "The namespace of the volume.",
                    claim -> claim.volume().namespace().value())
            .column()
            .text("volume", "The volume.", claim -> claim.volume().volumeId().value())
            .column()
            .text("allocation", "The allocation.", claim -> claim.allocationId().value())
            .column()
            .choice("state", "The state of the claim.", ClaimState.class, NodeOverride.ClaimOnNode::state)
            .column()
            .flag(
                    "allocationEnded",
                    "Whether the allocation has ended; otherwise the statement takes the volume from it.",
                    NodeOverride.ClaimOnNode::allocationEnded)
            .column()
            .build();

    private static final Shape<NodeOverride.AttachmentToNode> ATTACHMENT = Shape.<NodeOverride.AttachmentToNode>of(
                    "OverriddenAttachment", "An attachment that a statement changes.")
            .text(
                    "namespace",
                    "The namespace of the volume.",
                    attachment -> attachment.volume().namespace().value())
            .column()
            .text(
                    "volume",
                    "The volume.",
                    attachment -> attachment.volume().volumeId().value())
            .column()
            .choice("state", "The state.", AttachmentState.class, NodeOverride.AttachmentToNode::state)
            .column()
            .text(
                    "externalNodeId",
                    "The provider's id of the node.",
                    attachment -> attachment.externalNodeId().map(id -> id.value()))
            .optional()
            .column("EXTERNAL NODE")
            .build();

    private static final Shape<NodeOverride.FormerMachine> MACHINE = Shape.<NodeOverride.FormerMachine>of(
                    "ReplacedMachine", "A former machine of a node.")
            .text("plugin", "The plugin.", machine -> machine.pluginId().value())
            .text(
                    "former",
                    "The provider's id that claims or attachments have.",
                    machine -> machine.former().value())
            .text(
                    "present",
                    "The provider's id that the plugin reports now.",
                    machine -> machine.present().value())
            .build();

    private static final Shape<NodeOverride> EFFECT = Shape.<NodeOverride>of(
                    "StatementEffect", "The effect of an operator's statement.")
            .text("node", "The node.", effect -> effect.nodeId().value())
            .choice("statement", "The statement.", NodeStatement.class, NodeOverride::statement)
            .objects("claims", "The claims.", CLAIM, NodeOverride::claims)
            .objects("attachments", "The attachments.", ATTACHMENT, NodeOverride::attachments)
            .objects("machines", "The former machines that the statement is about.", MACHINE, NodeOverride::machines)
            .build();

    /**
     * The answer to a statement.
     *
     * @param effect the effect; empty if the request asked for no preview of it
     */
    record Answer(boolean stored, Optional<NodeOverride> effect) {}

    /** The answer to a statement. */
    static final Shape<Answer> SHAPE = Shape.<Answer>of("StatementAnswer", "The answer to an operator's statement.")
            .flag("stored", "Whether the statement is stored; false after a dry run.", Answer::stored)
            .text(
                    "preview",
                    "Identifies the effect: with it, the action is refused if its effect is another one by then.",
                    answer -> answer.effect().map(NodeStatements::digest))
            .optional()
            .maybe("effect", "The effect; absent if the request asked for no preview.", EFFECT, Answer::effect)
            .build();

    private NodeStatements() {}

    /** Returns a text that differs if the statement changes other claims, attachments or machines. */
    static String digest(NodeOverride effect) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            add(digest, effect.nodeId().value(), effect.statement().name());
            for (NodeOverride.ClaimOnNode claim : effect.claims()) {
                add(
                        digest,
                        "claim",
                        claim.volume().toString(),
                        claim.allocationId().value(),
                        Boolean.toString(claim.allocationEnded()),
                        Long.toString(claim.createIndex()));
            }
            for (NodeOverride.AttachmentToNode attachment : effect.attachments()) {
                add(digest, "attachment", attachment.volume().toString(), Long.toString(attachment.createIndex()));
            }
            for (NodeOverride.FormerMachine machine : effect.machines()) {
                add(
                        digest,
                        "machine",
                        machine.pluginId().value(),
                        machine.former().value(),
                        machine.present().value());
            }
            return HexFormat.of().formatHex(digest.digest(), 0, SHOWN_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java runtime has SHA-256", e);
        }
    }

    private static void add(MessageDigest digest, String... texts) {
        for (String text : texts) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            digest.update(
                    ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
            digest.update(bytes);
        }
    }
}
