package io.csi4j.client.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.DescriptorProtos.FieldOptions;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.ExtensionLite;
import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.CsiProto;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeContentSource;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SensitiveFieldsTest {
    private static Stream<Message> messagesOfAllRpcs() {
        return Stream.of(
                        IdentityGrpc.getServiceDescriptor(),
                        ControllerGrpc.getServiceDescriptor(),
                        GroupControllerGrpc.getServiceDescriptor(),
                        NodeGrpc.getServiceDescriptor(),
                        SnapshotMetadataGrpc.getServiceDescriptor())
                .flatMap(service -> service.getMethods().stream())
                .flatMap(method -> Stream.of(method.getRequestMarshaller(), method.getResponseMarshaller()))
                .map(marshaller -> (Message) ((PrototypeMarshaller<?>) marshaller).getMessagePrototype());
    }

    /** Puts a value into each map of the message, and of the messages in it. Returns the values. */
    private static Message filled(Message message, List<String> sensitive) {
        Message.Builder filled = message.toBuilder();
        for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
            if (field.isMapField()) {
                String value = field.getFullName() + "-" + sensitive.size();
                Message entry = filled.newBuilderForField(field)
                        .setField(field.getMessageType().findFieldByName("key"), "key")
                        .setField(field.getMessageType().findFieldByName("value"), value)
                        .build();
                filled.addRepeatedField(field, entry);
                if (!field.getName().equals("segments")) {
                    sensitive.add(value);
                }
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE) {
                Message inner = filled(filled.newBuilderForField(field).build(), sensitive);
                if (field.isRepeated()) {
                    filled.addRepeatedField(field, inner);
                } else {
                    filled.setField(field, inner);
                }
            }
        }
        return filled.build();
    }

    @Test
    void valuesOfAllMapsExceptTopologiesAreFoundInMessagesOfAllRpcs() {
        int maps = 0;
        for (Message message : messagesOfAllRpcs().toList()) {
            List<String> sensitive = new ArrayList<>();
            Message filled = filled(message, sensitive);
            assertThat(SensitiveFields.valuesOf(filled))
                    .as(message.getDescriptorForType().getName())
                    .containsExactlyInAnyOrderElementsOf(sensitive);
            maps += sensitive.size();
        }
        assertThat(maps).isGreaterThan(40);
    }

    @Test
    void secretsOfRequestAreHiddenAndItsOtherMapsAreNotSecrets() {
        for (Message message : messagesOfAllRpcs().toList()) {
            Message filled = filled(message, new ArrayList<>());
            for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
                if (field.isMapField()) {
                    String value = valueIn(filled, field);
                    ExtensionLite<FieldOptions, Boolean> option = CsiProto.csiSecret;
                    boolean secret = field.getOptions().getExtension(option);
                    assertThat(SensitiveFields.secrets(filled).scrub("it has " + value + " in it"))
                            .as(field.getFullName())
                            .isEqualTo(
                                    secret
                                            ? "it has " + SensitiveValues.HIDDEN + " in it"
                                            : "it has " + value + " in it");
                }
            }
        }
    }

    @Test
    void idsInsideRequestStayVisibleInItsTexts() {
        CreateVolumeRequest request = CreateVolumeRequest.newBuilder()
                .setName("pvc-customer-7")
                .putSecrets("a", "customer-7")
                .setVolumeContentSource(VolumeContentSource.newBuilder()
                        .setVolume(VolumeContentSource.VolumeSource.newBuilder().setVolumeId("vol-customer-7")))
                .build();
        for (SensitiveValues values : List.of(SensitiveFields.secrets(request), SensitiveFields.of(request))) {
            assertThat(values.scrub("pvc-customer-7 of vol-customer-7, customer-7"))
                    .isEqualTo("pvc-customer-7 of vol-customer-7, [hidden]");
        }
    }

    @Test
    void secretsOfEightCharactersAreLong() {
        assertThat(SensitiveFields.longSecretsOf(CreateVolumeRequest.newBuilder()
                        .putSecrets("a", "eight-ch")
                        .putSecrets("b", "seven-c")
                        .putSecrets("c", " ".repeat(9))
                        .build()))
                .containsExactly("eight-ch");
    }

    @Test
    void valueOfMountFlagIsFoundWithoutName() {
        assertThat(SensitiveFields.valuesOf(VolumeCapability.newBuilder()
                        .setMount(VolumeCapability.MountVolume.newBuilder()
                                .addAllMountFlags(List.of("=x", "ro", "a=b=c")))
                        .build()))
                .containsExactly("=x", "x", "ro", "a=b=c", "b=c");
    }

    private static String valueIn(Message message, FieldDescriptor map) {
        Message entry = (Message) message.getRepeatedField(map, 0);
        return (String) entry.getField(map.getMessageType().findFieldByName("value"));
    }
}
